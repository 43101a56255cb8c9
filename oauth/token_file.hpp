// SPDX-License-Identifier: MIT
// A token_book in a file, as the pool works with it: everything here blocks. Who may do what at which time is
// file_token_store's affair.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "../runtime/private_folder.hpp"
#include "token_book.hpp"

namespace hawser {

class token_file {
 public:
  explicit token_file(std::string_view path);

  struct sight {
    token_book book{};
    std::string damage{};  ///< as in token_book::reading
  };
  /// No file is an empty book. What other users could have read or written is refused. What a process that was killed
  /// has left is removed, if nobody is writing just now.
  [[nodiscard]] result<sight> look() const;

  /// With the lock held. `what` says whether it changed anything; only then is anything written. Damage is mended, a
  /// copy of the damaged file kept beside it, and what it was is returned.
  [[nodiscard]] result<std::string> change(const std::function<bool(token_book&)>& what) const;

  [[nodiscard]] result<void> make_folder() const;

  /// Whether one login can be stored at all.
  [[nodiscard]] result<void> check(const token_book& alone) const;

  /// Whether it is no use to try again: nothing can be made where the file should be, or nothing can be locked.
  static bool hopeless(const error& why);

  /// Whoever changes the file holds a file_lock on this one.
  [[nodiscard]] std::string lock_path() const { return path_ + ".lock"; }

 private:
  [[nodiscard]] result<sight> read_from(const private_folder& folder) const;
  [[nodiscard]] result<secret> text_of(const token_book& book, std::size_t max_bytes) const;
  void tidy(const private_folder& folder) const;
  [[nodiscard]] result<void> set_aside(const private_folder& from) const;

  std::string path_;
  std::string folder_;
  std::string name_;
};

}  // namespace hawser

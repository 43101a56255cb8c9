// SPDX-License-Identifier: MIT
// A token_book in a file. All functions block, so they run on the thread pool. file_token_store does the locking.
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
  /// A missing file is an empty book. A file or folder that other users could have read or written is refused.
  /// Leftovers of a killed process are removed, unless a write is in progress.
  [[nodiscard]] result<sight> look() const;

  /// Requires the lock. `what` returns whether it changed anything; only then the file is written. A damaged file is
  /// repaired, with a copy kept beside it, and the damage is returned.
  [[nodiscard]] result<std::string> change(const std::function<bool(token_book&)>& what) const;

  [[nodiscard]] result<void> make_folder() const;

  /// Whether one login can be stored at all.
  [[nodiscard]] result<void> check(const token_book& alone) const;

  /// Whether retrying is useless: the file cannot be created or locked.
  static bool hopeless(const error& why);

  /// Every writer holds a file_lock on this path.
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

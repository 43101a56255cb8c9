// SPDX-License-Identifier: MIT
// A credential_set in a file. All functions block, so they run on the thread pool. file_credential_store does the
// locking.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "../../runtime/io/private_folder.hpp"
#include "credential_format.hpp"

namespace hawser {

class credential_file {
 public:
  explicit credential_file(std::string_view path);

  /// A missing file is an empty set. A file or folder that other users could have read or written is refused.
  /// Leftovers of a killed process are removed, unless a write is in progress.
  [[nodiscard]] result<parsed_credential_set> read() const;

  /// Requires the lock. `edit` returns whether it changed anything; only then the file is written. A damaged file is
  /// repaired, with a copy kept beside it, and the damage is returned.
  [[nodiscard]] result<std::string> update(const std::function<bool(credential_set&)>& edit) const;

  [[nodiscard]] result<void> make_folder() const;

  /// Whether one login can be stored at all.
  [[nodiscard]] result<void> check_storable(const credential_set& contents) const;

  /// Whether retrying is useless: the file cannot be created or locked.
  static bool is_permanent(const error& why);

  /// Every writer holds a file_lock on this path.
  [[nodiscard]] std::string lock_path() const { return path_ + ".lock"; }

 private:
  [[nodiscard]] result<parsed_credential_set> read_folder(const private_folder& folder) const;
  [[nodiscard]] result<secret> serialize(const credential_set& contents, std::size_t max_bytes) const;
  void remove_leftovers(const private_folder& folder) const;
  [[nodiscard]] result<void> keep_damaged_copy(const private_folder& from) const;

  std::string path_;
  std::string folder_;
  std::string name_;
};

}  // namespace hawser

// SPDX-License-Identifier: MIT
// Files that hold secrets or are trusted, in a folder that only the user can access. All functions block: call them on
// the pool. Files and folders that other users could have read, written or created are refused; the error says how to
// fix it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "../crypto.hpp"
#include "../error.hpp"
#include "detail/unique_fd.hpp"

namespace hawser {

/// errc::io for errors of the system, errc::config for what is refused here.
class private_folder {
 public:
  /// nullopt: it does not exist. Refused if it belongs to another user or others may write to it.
  static result<std::optional<private_folder>> open(std::string path);
  /// Creates the folder and its missing parents with mode 0700, independent of the umask.
  static result<private_folder> make(const std::string& path);

  /// nullopt: no such file. Refused unless it is a regular file with a single hard link that belongs to the user and
  /// that others can neither read nor write. errc::too_large beyond `max_bytes`.
  [[nodiscard]] result<std::optional<secret>> read(const std::string& name, std::size_t max_bytes) const;

  /// Atomic: at any time the file is the complete old one or the complete new one. When this returns without an error,
  /// the new one has been synced to disk. Mode 0600 from the first byte, independent of the umask. The new file is
  /// first written under the name of `temporary_name`, so concurrent replacements of one file are not allowed: hold a
  /// file_lock.
  [[nodiscard]] result<void> replace(const std::string& name, const secret& content) const;
  static std::string temporary_name(const std::string& name) { return name + ".new"; }

  [[nodiscard]] bool has(const std::string& name) const noexcept;
  /// A missing file is not an error.
  [[nodiscard]] result<void> remove(const std::string& name) const;

 private:
  private_folder(std::string path, detail::unique_fd folder) : path_(std::move(path)), folder_(std::move(folder)) {}
  [[nodiscard]] std::string path_of(const std::string& name) const { return path_ + '/' + name; }
  [[nodiscard]] result<void> write(const std::string& name, const secret& content) const;

  std::string path_;
  detail::unique_fd folder_;
};

}  // namespace hawser

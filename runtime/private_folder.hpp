// SPDX-License-Identifier: MIT
// Files that hold secrets or are trusted, in a folder of the user's alone. Everything here blocks: it is for functions
// on the pool. What others could have read, written or put there is refused, and the error says how to mend it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "crypto.hpp"
#include "detail/unique_fd.hpp"
#include "error.hpp"

namespace hawser {

/// errc::io for what the system refuses, errc::config for what is refused here.
class private_folder {
 public:
  /// Nothing = it does not exist. Refused is one that belongs to somebody else, or that others may write to.
  static result<std::optional<private_folder>> open(std::string path);
  /// Makes it, and the folders above it, where they do not exist: with mode 0700, whatever the umask.
  static result<private_folder> make(const std::string& path);

  /// Nothing = there is no such file. Refused is what is not a regular file with one name, belongs to somebody else,
  /// or may be read or written by others. errc::too_large beyond `max_bytes`.
  [[nodiscard]] result<std::optional<secret>> read(const std::string& name, std::size_t max_bytes) const;

  /// The file is the complete old one or the complete new one, whatever happens in between; when this returns without
  /// an error, the new one is on the disk. Mode 0600 from the first byte, whatever the umask. The new file is written
  /// under the name of `temporary_for`, so two may not replace the same file at once: hold a file_lock.
  [[nodiscard]] result<void> replace(const std::string& name, const secret& content) const;
  static std::string temporary_for(const std::string& name) { return name + ".new"; }

  [[nodiscard]] bool has(const std::string& name) const noexcept;
  /// It is no error if there was none.
  [[nodiscard]] result<void> remove(const std::string& name) const;

 private:
  private_folder(std::string path, detail::unique_fd folder) : path_(std::move(path)), folder_(std::move(folder)) {}
  [[nodiscard]] std::string path_of(const std::string& name) const { return path_ + '/' + name; }
  [[nodiscard]] result<void> write(const std::string& name, const secret& content) const;

  std::string path_;
  detail::unique_fd folder_;
};

}  // namespace hawser

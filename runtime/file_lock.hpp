// SPDX-License-Identifier: MIT
// A lock among all threads and processes of a machine, by flock(2) on a file that exists for that alone. The kernel
// gives it back when its holder dies, in whatever way. Not for protecting memory.
#pragma once

#include <optional>
#include <string>

#include "clock.hpp"
#include "detail/unique_fd.hpp"
#include "error.hpp"
#include "task.hpp"

namespace hawser {

/// Held until it dies. It may die on any thread.
class file_lock {
 public:
  file_lock() = default;
  file_lock(file_lock&&) noexcept = default;
  file_lock& operator=(file_lock&& other) noexcept {
    release();
    file_ = std::move(other.file_);
    path_ = std::move(other.path_);
    removes_file_ = other.removes_file_;
    return *this;
  }
  ~file_lock() { release(); }

  /// Makes the file where it does not exist, with mode 0600, and leaves it there. errc::timed_out if somebody else
  /// holds it all the time; errc::io if there can be no such file, or no locks where it is.
  static task<result<file_lock>> acquire(std::string path, duration patience);
  /// The same without waiting, for the pool: nothing = somebody else holds it.
  static result<std::optional<file_lock>> try_now(const std::string& path);

  [[nodiscard]] bool held() const noexcept { return static_cast<bool>(file_); }
  void release() noexcept;
  /// The file is removed just before the lock is released: for files of which there are ever new ones. Whoever waits
  /// makes it again.
  void remove_file_on_release() noexcept { removes_file_ = true; }

 private:
  file_lock(detail::unique_fd file, std::string path) noexcept : file_(std::move(file)), path_(std::move(path)) {}
  detail::unique_fd file_;
  std::string path_;
  bool removes_file_ = false;
};

}  // namespace hawser

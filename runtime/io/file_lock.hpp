// SPDX-License-Identifier: MIT
// A lock between all threads and processes of a machine: flock(2) on a dedicated file. The kernel releases it when its
// holder dies. Not for protecting memory.
#pragma once

#include <optional>
#include <string>

#include "../async/task.hpp"
#include "../error.hpp"
#include "../loop/clock.hpp"
#include "detail/unique_fd.hpp"

namespace hawser {

/// Held until destroyed, which may happen on any thread.
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

  /// Creates the file with mode 0600 if it does not exist, and does not remove it. errc::timed_out if another holder
  /// keeps the lock for `patience`; errc::io if the file cannot be created or the file system has no locks.
  static task<result<file_lock>> acquire(std::string path, duration patience);
  /// The same without waiting; it blocks on file I/O, so call it on the pool. nullopt: the lock is held elsewhere.
  static result<std::optional<file_lock>> try_acquire(const std::string& path);

  [[nodiscard]] bool held() const noexcept { return static_cast<bool>(file_); }
  void release() noexcept;
  /// Removes the file just before the lock is released; for lock files that are created without limit. A process that
  /// waits for the lock creates it again.
  void remove_file_on_release() noexcept { removes_file_ = true; }

 private:
  file_lock(detail::unique_fd file, std::string path) noexcept : file_(std::move(file)), path_(std::move(path)) {}
  detail::unique_fd file_;
  std::string path_;
  bool removes_file_ = false;
};

}  // namespace hawser

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
    return *this;
  }
  ~file_lock() { release(); }

  /// Makes the file where it does not exist, with mode 0600, and never removes it. errc::timed_out if somebody else
  /// holds it all the time; errc::io if there can be no such file, or no locks where it is.
  static task<result<file_lock>> acquire(std::string path, duration patience);
  /// The same without waiting, for the pool: nothing = somebody else holds it.
  static result<std::optional<file_lock>> try_now(const std::string& path);

  [[nodiscard]] bool held() const noexcept { return static_cast<bool>(file_); }
  void release() noexcept;

 private:
  explicit file_lock(detail::unique_fd file) noexcept : file_(std::move(file)) {}
  detail::unique_fd file_;
};

}  // namespace hawser

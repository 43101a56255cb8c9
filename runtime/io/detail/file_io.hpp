// SPDX-License-Identifier: MIT
// Helpers for reading and writing files by descriptor.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "../../loop/detail/loop_core.hpp"

namespace hawser::detail {

/// "PATH: STEP: strerror(number)".
inline error file_error(int number, const std::string& path, const char* step) {
  return from_errno(number, path + ": " + step);
}

inline result<void> write_all(int fd, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t count = ::write(fd, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return file_error(errno, path, "write");
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

}  // namespace hawser::detail

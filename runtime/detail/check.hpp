// SPDX-License-Identifier: MIT
// Lifetime checks that stay on in release builds: a violation terminates the process with a message before it can
// corrupt memory. Not for external input, which is never asserted.
#pragma once

namespace hawser::detail {

/// Prints `sentence` to stderr and aborts.
[[noreturn]] void check_failed(const char* sentence) noexcept;

inline void require(bool holds, const char* sentence) noexcept {
  if (!holds) [[unlikely]]
    check_failed(sentence);
}

}  // namespace hawser::detail

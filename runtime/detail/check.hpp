// SPDX-License-Identifier: MIT
// Lifetime checks that stay on in release: a broken rule ends the process with a sentence before it can corrupt
// memory. Not for input from outside, which is never asserted.
#pragma once

namespace hawser::detail {

/// Prints the sentence to stderr and aborts.
[[noreturn]] void broken(const char* sentence) noexcept;

inline void require(bool holds, const char* sentence) noexcept {
  if (!holds) [[unlikely]]
    broken(sentence);
}

}  // namespace hawser::detail

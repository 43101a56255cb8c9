// SPDX-License-Identifier: MIT
// The memory use of this process, for tests of what must not grow.
#pragma once

#include <cstddef>
#include <fstream>
#include <string>

// A sanitizer delays the reuse of freed memory, so the resident set grows in any case; but it can report the
// allocated bytes. Not defined otherwise.
extern "C" std::size_t __sanitizer_get_current_allocated_bytes() __attribute__((weak));

namespace hawser::testing {

/// In kilobytes: the resident set, or under a sanitizer the allocated bytes.
inline std::size_t memory_in_use() {
  if (__sanitizer_get_current_allocated_bytes != nullptr) return __sanitizer_get_current_allocated_bytes() / 1024;
  std::ifstream status{"/proc/self/status"};
  for (std::string word; status >> word;) {
    std::size_t kilobytes = 0;
    if (word == "VmRSS:" && status >> kilobytes) return kilobytes;
  }
  return 0;
}

}  // namespace hawser::testing

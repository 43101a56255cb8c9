// SPDX-License-Identifier: MIT
// How much memory this process holds, for tests of what may not grow.
#pragma once

#include <cstddef>
#include <fstream>
#include <string>

// A sanitizer keeps freed memory for a while, so that the resident set grows there whatever the program does; it can
// say how much is in use, though. Not defined elsewhere.
extern "C" std::size_t __sanitizer_get_current_allocated_bytes() __attribute__((weak));

namespace hawser::testing {

/// In kilobytes: what the system has given, or under a sanitizer what the program has not given back.
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

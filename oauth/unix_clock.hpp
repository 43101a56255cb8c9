// SPDX-License-Identifier: MIT
// Wall-clock time, for expiry times of servers. Not used for scheduling: it can jump.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace hawser {

/// Seconds since 1970; replaceable in tests.
using unix_clock = std::function<std::int64_t()>;

inline std::int64_t unix_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace hawser

// SPDX-License-Identifier: MIT
// The time of day, in which servers say when something expires. Nothing is scheduled by it: it can jump.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace hawser {

/// Seconds since 1970; tests put another in its place.
using unix_clock = std::function<std::int64_t()>;

inline std::int64_t unix_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace hawser

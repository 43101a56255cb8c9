// SPDX-License-Identifier: MIT
// What work costs, whatever else the machine does meanwhile.
#pragma once

#include <chrono>
#include <ctime>

namespace hawser::testing {

/// Processor time of the calling thread so far.
inline std::chrono::nanoseconds thread_cpu_time() noexcept {
  timespec spent{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return std::chrono::seconds{spent.tv_sec} + std::chrono::nanoseconds{spent.tv_nsec};
}

}  // namespace hawser::testing

// SPDX-License-Identifier: MIT
// What work costs, whatever else the machine does meanwhile.
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>

namespace hawser::testing {

/// Processor time of the calling thread so far.
inline std::chrono::nanoseconds thread_cpu_time() noexcept {
  timespec spent{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return std::chrono::seconds{spent.tv_sec} + std::chrono::nanoseconds{spent.tv_nsec};
}

/// Of the calling thread for this work, the best of three tries: others share the caches.
template <class F>
std::chrono::nanoseconds cpu_time_of(F work) {
  auto best = std::chrono::nanoseconds::max();
  for (int i = 0; i < 3; ++i) {
    const auto before = thread_cpu_time();
    work();
    best = std::min(best, thread_cpu_time() - before);
  }
  return best;
}

}  // namespace hawser::testing

// SPDX-License-Identifier: MIT
// Measures CPU time, which does not depend on the load of the machine.
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>

namespace hawser::testing {

/// CPU time of the calling thread so far.
inline std::chrono::nanoseconds thread_cpu_time() noexcept {
  timespec spent{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return std::chrono::seconds{spent.tv_sec} + std::chrono::nanoseconds{spent.tv_nsec};
}

/// CPU time of the calling thread for this work, the best of three tries: other processes share the caches.
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

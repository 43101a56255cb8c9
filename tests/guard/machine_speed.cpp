// SPDX-License-Identifier: MIT
#include "machine_speed.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <map>
#include <string>

namespace hawser::testing {

namespace {

// Measured on an idle 2-vCPU virtual machine with clang-19.
constexpr double reference_ms = 7.4;

// What handling a message costs: fresh memory, a branch for each byte, small allocations, ordered maps.
std::uint64_t fixed_work() {
  std::string text;
  for (unsigned i = 0; text.size() < (std::size_t{1} << 20); ++i)
    text += "{\"name\":\"" + std::to_string(i * 2654435761U) + "\"},";
  std::map<std::string, std::uint64_t> names;
  std::uint64_t sum = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      begin = i + 1;
    } else if (text[i] == '}') {
      if (++sum % 8 == 0) names[text.substr(begin, i - begin)] += sum;
    }
  }
  return names.size() + sum;
}

double work_ms() {
  timespec before{};
  timespec after{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
  volatile std::uint64_t kept = fixed_work();
  static_cast<void>(kept);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
  return double(after.tv_sec - before.tv_sec) * 1e3 + double(after.tv_nsec - before.tv_nsec) / 1e6;
}

}  // namespace

double slowdown_now() { return std::max(1.0, work_ms() / reference_ms); }

}  // namespace hawser::testing

// SPDX-License-Identifier: MIT
#include "harness.hpp"

#include <sched.h>
#include <unistd.h>

#include <array>
#include <climits>

namespace hawser::bench {

bool pin_to_one_core() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;
  for (int core = CPU_SETSIZE - 1; core >= 0; --core) {  // the last one, because interrupts prefer the first
    if (!CPU_ISSET(core, &allowed)) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
  }
  return false;
}

std::string unfit_build() {
#ifndef NDEBUG
  return "this is a debug build: its numbers mean nothing; use the release build";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return "this is a sanitizer build: its numbers mean nothing; use the release build";
#endif
#endif
  return {};
}

std::string sibling(const std::string& name) {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size() - 1);
  const std::string own{path.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
  return own.substr(0, own.rfind('/') + 1) + name;
}

}  // namespace hawser::bench

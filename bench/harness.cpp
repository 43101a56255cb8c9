// SPDX-License-Identifier: MIT
#include "harness.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <cstdio>

namespace hawser::bench {

bool pin_to_one_core() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;
  for (int core = CPU_SETSIZE - 1; core >= 0; --core) {  // the last one: interrupts like the first
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

namespace {

// By the nearest rank; sorts its own copy.
template <class T>
T rank_of(std::vector<T> values, double percent) {
  if (values.empty()) return {};
  const auto rank = static_cast<std::size_t>(std::ceil(percent / 100 * static_cast<double>(values.size())));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::clamp<std::size_t>(rank, 1, values.size()) - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

double median(std::vector<double> values) { return rank_of(std::move(values), 50); }

void distribution::end_round() {
  const std::vector<std::int64_t> round(values_.begin() + static_cast<std::ptrdiff_t>(round_begin_), values_.end());
  round_begin_ = values_.size();
  round_medians_.push_back(static_cast<double>(rank_of(round, 50)));
}

double distribution::percentile(double p) const { return static_cast<double>(rank_of(values_, p)) / 1000; }

double distribution::ratio_to(const distribution& floor) const {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(round_medians_.size(), floor.round_medians_.size()); ++i) {
    ratios.push_back(round_medians_[i] / floor.round_medians_[i]);
  }
  return rank_of(ratios, 50);
}

bool print_report(const settings& s, const std::string& question, const std::vector<candidate>& all, const bar* goal) {
  const distribution& floor = all.front().latency;
  if (!s.json) {
    std::printf("%s, %s, microseconds\n", question.c_str(), s.free ? "not pinned" : "pinned to one core");
    std::printf("  %-34s %8s %8s %8s %8s %9s %8s\n", "", "p50", "p90", "p99", "p99.9", "max", "x floor");
  }
  for (const candidate& c : all) {
    const distribution& d = c.latency;
    const double p50 = d.percentile(50);
    if (s.json) {
      std::printf(
          R"({"question":"%s","candidate":"%s","pinned":%s,"p50_us":%.3f,"p90_us":%.3f,"p99_us":%.3f,"p999_us":%.3f,"max_us":%.3f,"p50_ratio":%.4f})"
          "\n",
          question.c_str(), c.name.c_str(), s.free ? "false" : "true", p50, d.percentile(90), d.percentile(99),
          d.percentile(99.9), d.percentile(100), d.ratio_to(floor));
    } else {
      std::printf("  %-34s %8.2f %8.2f %8.2f %8.2f %9.2f %8.3f\n", c.name.c_str(), p50, d.percentile(90),
                  d.percentile(99), d.percentile(99.9), d.percentile(100), d.ratio_to(floor));
    }
  }
  if (goal == nullptr) return true;
  const double ratio = all[goal->of].latency.ratio_to(all[goal->floor].latency);
  const bool met = ratio <= goal->at_most;
  if (s.json) {
    std::printf(R"({"question":"%s","bar":"%s","ratio":%.4f,"at_most":%.2f,"met":%s})"
                "\n",
                question.c_str(), goal->name.c_str(), ratio, goal->at_most, met ? "true" : "false");
  } else {
    std::printf("  %s: %.3f, bar %.2f: %s\n", goal->name.c_str(), ratio, goal->at_most, met ? "met" : "missed");
  }
  return met;
}

}  // namespace hawser::bench

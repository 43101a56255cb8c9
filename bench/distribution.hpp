// SPDX-License-Identifier: MIT
// Times that were measured, in rounds: percentiles, and ratios to another one measured in the same rounds.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hawser::bench {

/// The middle one; of two, the smaller.
double median(std::vector<double> values);

class distribution {
 public:
  void add(std::chrono::nanoseconds one) { values_.push_back(one.count()); }
  void reserve(std::size_t count) { values_.reserve(count); }
  /// What was added since the last end belongs together.
  void end_round();
  /// In microseconds; p in percent.
  [[nodiscard]] double percentile(double p) const;
  /// The median, over the rounds, of this one's median to the floor's in the same round: a machine that changes its
  /// speed in the middle of a run changes it for both.
  [[nodiscard]] double ratio_to(const distribution& floor) const;
  /// How far apart the rounds are: the middle four fifths of their medians against the median. 0 if there are less
  /// than three.
  [[nodiscard]] double round_spread() const;
  /// Nanoseconds, in the order in which they were added.
  [[nodiscard]] std::span<const std::int64_t> values() const noexcept { return values_; }
  [[nodiscard]] std::size_t count() const noexcept { return values_.size(); }

 private:
  std::vector<std::int64_t> values_;
  std::size_t round_begin_ = 0;
  std::vector<double> round_medians_;
};

struct candidate {
  std::string name;
  distribution latency{};
};

}  // namespace hawser::bench

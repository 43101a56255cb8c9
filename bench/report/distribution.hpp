// SPDX-License-Identifier: MIT
// Measured times, grouped in rounds: percentiles, and ratios to another distribution measured in the same rounds.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hawser::bench {

/// The median; of two middle values, the smaller.
double median(std::vector<double> values);

class distribution {
 public:
  void add(std::chrono::nanoseconds one) { values_.push_back(one.count()); }
  void reserve(std::size_t count) { values_.reserve(count); }
  /// Ends a round, which consists of the values added since the previous end.
  void end_round();
  /// In microseconds; p in percent.
  [[nodiscard]] double percentile(double p) const;
  /// The median, over the rounds, of the ratio of this median to the floor's median in the same round: if the machine
  /// changes its speed during a run, both change.
  [[nodiscard]] double ratio_to(const distribution& floor) const;
  /// The spread of the rounds: the middle four fifths of their medians relative to the median. 0 for fewer than three
  /// rounds.
  [[nodiscard]] double round_spread() const;
  /// Nanoseconds, in the order of addition.
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

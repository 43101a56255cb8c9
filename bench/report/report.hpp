// SPDX-License-Identifier: MIT
// The results of a benchmark. Printing, plotting and judging are separate.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "../harness.hpp"
#include "distribution.hpp"
#include "goal.hpp"

namespace hawser::bench {

/// The first row is the floor for the others.
struct latency_table {
  std::string title;
  std::vector<candidate> rows{};
};

struct figure_list {
  std::string title;
  std::vector<goal> all{};
};

struct rate_point {
  double offered = 0;     ///< closed loop: calls in flight; open loop: intended calls per second
  double per_second = 0;  ///< answered
  double p50_us = 0;
  double p99_us = 0;
  std::uint64_t errors = 0;
  std::uint64_t unsent = 0;  ///< open loop: arrivals that never started; they count in the latency
};

struct rate_curve {
  std::string name;
  bool open_loop = false;  ///< calls arrive at a rate, whether or not earlier ones were answered
  std::vector<rate_point> points{};
};

struct curve_list {
  std::string title;
  std::vector<rate_curve> all{};
};

/// Describes what was measured, and how: "server", "tool" and so on.
struct remark {
  std::string about;
  std::string text;
};

class report {
 public:
  void add(latency_table one) { tables_.push_back(std::move(one)); }
  void add(figure_list one) { figures_.push_back(std::move(one)); }
  void add(curve_list one) { curves_.push_back(std::move(one)); }
  /// Something to consider before trusting the numbers.
  void warn(std::string text) { warnings_.push_back(std::move(text)); }
  void note(std::string about, std::string text) { notes_.push_back({std::move(about), std::move(text)}); }
  /// Records a failure; what was measured before is still reported.
  void fail(std::string text) { failures_.push_back(std::move(text)); }
  /// Ended by Ctrl-C or another signal.
  void stopped_by(int signal) noexcept { signal_ = signal; }

  [[nodiscard]] std::span<const latency_table> tables() const noexcept { return tables_; }
  [[nodiscard]] std::span<const figure_list> figures() const noexcept { return figures_; }
  [[nodiscard]] std::span<const curve_list> curves() const noexcept { return curves_; }
  [[nodiscard]] std::span<const std::string> warnings() const noexcept { return warnings_; }
  [[nodiscard]] std::span<const remark> notes() const noexcept { return notes_; }
  [[nodiscard]] std::span<const std::string> failures() const noexcept { return failures_; }
  [[nodiscard]] int stopped_by() const noexcept { return signal_; }
  /// No bar was missed.
  [[nodiscard]] bool met() const noexcept;

 private:
  std::vector<latency_table> tables_;
  std::vector<figure_list> figures_;
  std::vector<curve_list> curves_;
  std::vector<std::string> warnings_;
  std::vector<remark> notes_;
  std::vector<std::string> failures_;
  int signal_ = 0;
};

/// Adds a warning if the rounds of the floors differ so much that the figures describe the machine rather than
/// Hawser.
void warn_of_noise(report& found);

/// As tables, or as JSON lines.
void print(const settings& s, const report& found);

}  // namespace hawser::bench

// SPDX-License-Identifier: MIT
// What a question found. Printing, plotting and judging come after.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "distribution.hpp"
#include "goal.hpp"
#include "harness.hpp"

namespace hawser::bench {

/// The first row is the floor of the others.
struct latency_table {
  std::string title;
  std::vector<candidate> rows{};
};

struct figure_list {
  std::string title;
  std::vector<goal> all{};
};

struct rate_point {
  double offered = 0;     ///< in flight in a closed loop; calls a second that were wanted in an open one
  double per_second = 0;  ///< answered
  double p50_us = 0;
  double p99_us = 0;
  std::uint64_t errors = 0;
  std::uint64_t unsent = 0;  ///< of an open loop: their turn never came; they count in the latency
};

struct rate_curve {
  std::string name;
  bool open_loop = false;  ///< calls come when they come, whether or not the ones before were answered
  std::vector<rate_point> points{};
};

struct curve_list {
  std::string title;
  std::vector<rate_curve> all{};
};

/// What was measured, and how: "server", "tool" and the like.
struct remark {
  std::string about;
  std::string text;
};

class report {
 public:
  void add(latency_table one) { tables_.push_back(std::move(one)); }
  void add(figure_list one) { figures_.push_back(std::move(one)); }
  void add(curve_list one) { curves_.push_back(std::move(one)); }
  /// Something to know before believing the numbers.
  void warn(std::string text) { warnings_.push_back(std::move(text)); }
  void note(std::string about, std::string text) { notes_.push_back({std::move(about), std::move(text)}); }
  /// Something went wrong; what was measured before is told all the same.
  void fail(std::string text) { failures_.push_back(std::move(text)); }
  /// Ctrl-C or its like ended it.
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

/// A warning if the floors' own rounds differ so much that the figures say more about the machine than about us.
void warn_of_noise(report& found);

/// Tables for people, or one JSON object a line.
void print(const settings& s, const report& found);

}  // namespace hawser::bench

// SPDX-License-Identifier: MIT
// What every question shares: pinning, distributions, and a report for people or for machines.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace hawser::bench {

/// What the command line says to every subcommand.
struct settings {
  int rounds = 200;     ///< candidates take turns this often
  int per_round = 300;  ///< measurements in a turn
  bool free = false;    ///< do not pin to one core
  bool json = false;
};

/// Puts this process, and what it starts, on one core; waking another one would be most of what is measured.
bool pin_to_one_core();

/// Why the numbers of this build would mean nothing, or an empty text.
std::string unfit_build();

/// Beside this program.
std::string sibling(const std::string& name);

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

 private:
  std::vector<std::int64_t> values_;
  std::size_t round_begin_ = 0;
  std::vector<double> round_medians_;
};

struct candidate {
  std::string name;
  distribution latency{};
};

/// A goal: this candidate's p50 against that one's.
struct bar {
  std::size_t of = 1;
  std::size_t floor = 0;
  double at_most = 0;
  std::string name{};
};

/// Prints a table, or a JSON line for each candidate; the first one is the floor. Returns whether the bar was met.
bool print_report(const settings& s, const std::string& question, const std::vector<candidate>& all, const bar* goal);

}  // namespace hawser::bench

// SPDX-License-Identifier: MIT
// The settings of all benchmarks, and where they run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "questions/server_options.hpp"

namespace hawser::bench {

/// The command-line options of all subcommands.
struct settings {
  int rounds = 0;     ///< how often the candidates alternate
  int per_round = 0;  ///< measurements of a candidate per round
  bool free = false;  ///< do not pin to one core
  bool json = false;
  bool quick = false;                             ///< a short run, not judged
  std::string plot{};                             ///< the SVG file to write; empty: none
  std::vector<std::string> peers{};               ///< other clients that take part: "name=command"
  bool typescript_peers = false;                  ///< the clients of bench/peers take part
  std::string results{};                          ///< verdict: the folder for RESULTS.md and plots; empty: none
  std::string counted{};                          ///< count: the operation
  std::vector<std::string> notes{};               ///< verdict: notes on the machine for RESULTS.md
  server_options server{};                        ///< for `server` only
  std::vector<std::string> trailing_arguments{};  ///< the arguments after "--", unchanged

  /// Unpinned runs measure the wake-up latency of the cores, and quick runs are too short: then a figure is shown but
  /// not judged.
  [[nodiscard]] std::optional<double> judged(double bar) const {
    return free || quick ? std::nullopt : std::optional{bar};
  }
};

/// Pins this process and its children to one core; waking another core would dominate the measurement.
bool pin_to_one_core();

/// Why this build must not be measured; empty if it may be.
std::string unfit_build();

/// The path of a program in the same folder as this one.
std::string sibling(const std::string& name);

}  // namespace hawser::bench

// SPDX-License-Identifier: MIT
// What every question is told, and where it runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server_options.hpp"

namespace hawser::bench {

/// What the command line says to every subcommand.
struct settings {
  int rounds = 0;     ///< candidates take turns this often
  int per_round = 0;  ///< measurements in a turn
  bool free = false;  ///< do not pin to one core
  bool json = false;
  bool quick = false;                        ///< for a look, not for a judgement
  std::string plot{};                        ///< an SVG file to write; empty: none
  std::vector<std::string> peers{};          ///< other clients that take part: "name=command"
  bool typescript_peers = false;             ///< those of bench/peers take part
  std::string results{};                     ///< verdict: a folder for RESULTS.md and plots; empty: none
  std::string counted{};                     ///< count: what is done
  std::vector<std::string> notes{};          ///< verdict: what RESULTS.md says of where it was measured
  server_options server{};                   ///< of `server` alone
  std::vector<std::string> behind_marker{};  ///< the words behind "--", as they are

  /// Unpinned, the cores' waking up is measured rather than ours, and a quick look says nothing: then a figure is
  /// shown and not judged.
  [[nodiscard]] std::optional<double> judged(double bar) const {
    return free || quick ? std::nullopt : std::optional{bar};
  }
};

/// Puts this process, and what it starts, on one core; waking another one would be most of what is measured.
bool pin_to_one_core();

/// Why the numbers of this build would mean nothing, or an empty text.
std::string unfit_build();

/// Beside this program.
std::string sibling(const std::string& name);

}  // namespace hawser::bench

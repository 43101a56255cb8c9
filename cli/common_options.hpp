// SPDX-License-Identifier: MIT
// The options that all commands that use servers accept.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "../runtime/loop/clock.hpp"

namespace hawser::cli {

struct common_options {
  std::string config{};
  bool json = false;
  bool verbose = false;
  bool quiet = false;  ///< no warnings, notices or progress on stderr; results and errors are printed
  bool no_cache = false;
  std::optional<double> timeout_seconds{};  ///< unset or 0: no limit except those of the servers

  [[nodiscard]] std::optional<duration> timeout() const {
    if (timeout_seconds.value_or(0) <= 0) return std::nullopt;
    return std::chrono::duration_cast<duration>(std::chrono::duration<double>{*timeout_seconds});
  }
};

}  // namespace hawser::cli

// SPDX-License-Identifier: MIT
// What every command that has to do with servers understands.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "../runtime/clock.hpp"

namespace hawser::cli {

struct common_options {
  std::string config{};
  bool json = false;
  bool verbose = false;
  bool quiet = false;  ///< no warnings, no notices and no progress on stderr; results and errors are printed
  bool no_cache = false;
  std::optional<double> timeout_seconds{};  ///< none or 0: none but the servers' own

  [[nodiscard]] std::optional<duration> timeout() const {
    if (timeout_seconds.value_or(0) <= 0) return std::nullopt;
    return std::chrono::duration_cast<duration>(std::chrono::duration<double>{*timeout_seconds});
  }
};

}  // namespace hawser::cli

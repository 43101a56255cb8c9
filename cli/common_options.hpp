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
  bool no_cache = false;
  double timeout_seconds = 0;  ///< 0: none but the servers' own

  [[nodiscard]] std::optional<duration> timeout() const {
    if (timeout_seconds <= 0) return std::nullopt;
    return std::chrono::duration_cast<duration>(std::chrono::duration<double>{timeout_seconds});
  }
};

}  // namespace hawser::cli

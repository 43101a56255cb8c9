// SPDX-License-Identifier: MIT
// A figure, and what it should be.
#pragma once

#include <optional>
#include <string>

namespace hawser::bench {

struct goal {
  enum class side { at_most, at_least };
  std::string name;  ///< one of performance.md's goals begins with its number: "P1 …"
  double figure = 0;
  std::string unit{};
  std::optional<double> bar{};  ///< without one the figure is shown, not judged
  side wanted = side::at_most;

  [[nodiscard]] bool met() const noexcept {
    return !bar || (wanted == side::at_most ? figure <= *bar : figure >= *bar);
  }
};

}  // namespace hawser::bench

// SPDX-License-Identifier: MIT
// A measured figure and its target.
#pragma once

#include <optional>
#include <string>

namespace hawser::bench {

struct goal {
  enum class side { at_most, at_least };
  std::string name;  ///< a goal of performance.md begins with its number: "P1 …"
  double figure = 0;
  std::string unit{};
  std::optional<double> bar{};  ///< without a bar the figure is shown but not judged
  side wanted = side::at_most;

  [[nodiscard]] bool met() const noexcept {
    return !bar || (wanted == side::at_most ? figure <= *bar : figure >= *bar);
  }
};

}  // namespace hawser::bench

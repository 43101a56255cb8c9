// SPDX-License-Identifier: MIT
// Figures that are judged by themselves, not against a floor: a bar beside each, met or missed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness.hpp"

namespace hawser::bench {

struct goal {
  enum class side { at_most, at_least };
  std::string name;
  double figure = 0;
  std::string unit{};
  std::optional<double> bar{};  ///< without one the figure is shown, not judged
  side wanted = side::at_most;

  [[nodiscard]] bool met() const noexcept {
    return !bar || (wanted == side::at_most ? figure <= *bar : figure >= *bar);
  }
};

/// Prints a line for each, or a JSON object. Returns whether all bars were met.
bool print_goals(const settings& s, const std::string& question, const std::vector<goal>& all);

}  // namespace hawser::bench

// SPDX-License-Identifier: MIT
// Formats a double with the fewest digits that identify it uniquely.
#pragma once

#include <array>
#include <charconv>
#include <string>

namespace hawser::cli {

inline std::string number_text(double number) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

}  // namespace hawser::cli

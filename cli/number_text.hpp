// SPDX-License-Identifier: MIT
// A number in the fewest digits that tell it from every other.
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

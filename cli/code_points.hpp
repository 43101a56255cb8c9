// SPDX-License-Identifier: MIT
// UTF-8 one character at a time, and what a character does to a terminal. Not a Unicode library: the few ranges that
// escaping and alignment need.
#pragma once

#include <cstddef>
#include <string_view>

namespace hawser::cli {

struct code_point {
  char32_t value = 0;
  std::size_t bytes = 1;
  bool valid = false;  ///< not UTF-8: then it is one byte
};

/// The first character. Precondition: the text is not empty.
code_point first_of(std::string_view text) noexcept;

/// Whether it controls, hides, reorders or takes no room, and is therefore shown by its number.
bool is_hidden(char32_t c) noexcept;

/// Emoji carry one of these; a row of them carries a secret message.
constexpr bool is_variation(char32_t c) noexcept { return c == 0xfe0e || c == 0xfe0f; }

/// 0 for what combines with the one before it, 2 for wide ones.
std::size_t columns_of(char32_t c) noexcept;

}  // namespace hawser::cli

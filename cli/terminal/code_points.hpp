// SPDX-License-Identifier: MIT
// Decodes UTF-8 one code point at a time and classifies code points for display on a terminal. Not a Unicode library:
// it has only the ranges that escaping and alignment need.
#pragma once

#include <cstddef>
#include <string_view>

namespace hawser::cli {

struct code_point {
  char32_t value = 0;
  std::size_t bytes = 1;
  bool valid = false;  ///< false: not UTF-8; then it is one byte
};

/// The first code point. Precondition: the text is not empty.
code_point first_code_point(std::string_view text) noexcept;

/// Whether it is a control, invisible, reordering or zero-width character, and is therefore shown by its number.
bool is_hidden(char32_t c) noexcept;

/// One of them may follow an emoji; a sequence of them can hide a message.
constexpr bool is_variation_selector(char32_t c) noexcept { return c == 0xfe0e || c == 0xfe0f; }

/// 0 for combining characters, 2 for wide ones.
std::size_t column_width(char32_t c) noexcept;

}  // namespace hawser::cli

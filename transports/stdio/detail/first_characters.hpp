// SPDX-License-Identifier: MIT
// Truncates untrusted text for quoting, without splitting a UTF-8 character.
#pragma once

#include <cstddef>
#include <string_view>

namespace hawser::detail {

inline std::string_view first_characters(std::string_view text, std::size_t max_bytes) noexcept {
  if (text.size() <= max_bytes) return text;
  constexpr std::size_t longest_character = 4;
  for (std::size_t back = 0; back < longest_character && back < max_bytes; ++back) {
    if ((static_cast<unsigned char>(text[max_bytes - back]) & 0xC0) != 0x80) return text.substr(0, max_bytes - back);
  }
  return text.substr(0, max_bytes);  // not UTF-8
}

}  // namespace hawser::detail

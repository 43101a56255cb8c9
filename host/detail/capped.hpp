// SPDX-License-Identifier: MIT
// Cutting texts without cutting characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hawser::detail {

/// The longest beginning of at most `max_bytes` that ends between two characters. Precondition: UTF-8.
inline std::string_view whole_characters(std::string_view text, std::size_t max_bytes) noexcept {
  if (text.size() <= max_bytes) return text;
  while (max_bytes > 0 && (static_cast<unsigned char>(text[max_bytes]) & 0xC0) == 0x80) --max_bytes;
  return text.substr(0, max_bytes);
}

/// The same, with a note of how much is missing.
inline void cap(std::string& text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return;
  const std::size_t kept = whole_characters(text, max_bytes).size();
  const std::size_t cut = text.size() - kept;
  text.resize(kept);
  text += "\n[cut: " + std::to_string(cut) + " more bytes]";
}

}  // namespace hawser::detail

// SPDX-License-Identifier: MIT
// Truncates text at character boundaries.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hawser::detail {

/// The longest prefix of at most `max_bytes` that ends at a character boundary. Precondition: UTF-8.
inline std::string_view utf8_prefix(std::string_view text, std::size_t max_bytes) noexcept {
  if (text.size() <= max_bytes) return text;
  while (max_bytes > 0 && (static_cast<unsigned char>(text[max_bytes]) & 0xC0) == 0x80) --max_bytes;
  return text.substr(0, max_bytes);
}

/// Truncates in place and appends a note with the number of bytes removed.
inline void truncate_text(std::string& text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return;
  const std::size_t kept = utf8_prefix(text, max_bytes).size();
  const std::size_t cut = text.size() - kept;
  text.resize(kept);
  text += "\n[cut: " + std::to_string(cut) + " more bytes]";
}

}  // namespace hawser::detail

// SPDX-License-Identifier: MIT
#include "display_text.hpp"

#include <cstddef>
#include <cstdint>

namespace hawser {

namespace {

// More than is shown, because some characters may be removed.
constexpr std::size_t enough_for_a_line = std::size_t{4} << 10;

struct character {
  char32_t value = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

// RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
character first_of(std::string_view text) noexcept {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  char32_t value = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0U) != 0x80U) return {};
    value = (value << 6U) | (byte & 0x3FU);
  }
  const bool overlong = (bytes == 3 && value < 0x800) || (bytes == 4 && value < 0x10000);
  if (overlong || (value >= 0xD800 && value <= 0xDFFF) || value > 0x10FFFF) return {};
  return {value, bytes, true};
}

bool is_break(char32_t c) noexcept { return c == '\t' || c == '\n' || c == '\r' || c == 0x2028 || c == 0x2029; }

// Control characters, including C1; bidirectional marks; zero-width characters; tags.
bool is_hidden(char32_t c) noexcept {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0xAD || c == 0x61C || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFB) ||
         (c >= 0xE0000 && c <= 0xE0FFF);
}

}  // namespace

std::string display_text(std::string_view said, std::size_t most_bytes) {
  std::string shown;
  while (!said.empty()) {
    const character next = first_of(said);
    const std::string_view bytes = said.substr(0, next.bytes);
    said.remove_prefix(next.bytes);
    if (next.valid && is_hidden(next.value) && !is_break(next.value)) continue;
    const std::string_view added = !next.valid ? "?" : is_break(next.value) ? " " : bytes;
    if (shown.size() + added.size() > most_bytes) return shown + "...";
    shown += added;
  }
  return shown;
}

std::string display_text(std::string_view said, const redaction& hidden, std::size_t most_bytes) {
  const std::string beginning = hidden.apply_truncated(said, enough_for_a_line);
  // Redacted again, for secrets that had hidden characters in between.
  const std::string line = hidden.apply(display_text(beginning, beginning.size()));
  return display_text(line, most_bytes);
}

std::string url_without_query(std::string_view url) {
  const std::size_t query = url.find('?');
  return query == url.npos ? std::string{url} : std::string{url.substr(0, query)} + "?...";
}

}  // namespace hawser

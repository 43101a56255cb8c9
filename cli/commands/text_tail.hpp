// SPDX-License-Identifier: MIT
// Finds what is new in a text of which only the last bytes are kept, such as a captured log.
#pragma once

#include <algorithm>
#include <string_view>

namespace hawser::cli {

/// The part of `now` after `seen`; all of `now` if they have nothing in common.
inline std::string_view appended_text(std::string_view seen, std::string_view now) noexcept {
  if (now.starts_with(seen)) return now.substr(seen.size());
  // The beginning was discarded: look for the end of what was seen, which is still there unless too much has been
  // added.
  constexpr std::size_t enough = 200;
  const std::string_view mark = seen.substr(seen.size() - std::min(seen.size(), enough));
  const std::size_t at = now.rfind(mark);
  return at == std::string_view::npos ? now : now.substr(at + mark.size());
}

/// The text without an unfinished last line.
inline std::string_view whole_lines(std::string_view text) noexcept {
  const std::size_t last = text.rfind('\n');
  return last == std::string_view::npos ? std::string_view{} : text.substr(0, last + 1);
}

}  // namespace hawser::cli

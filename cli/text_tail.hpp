// SPDX-License-Identifier: MIT
// Following a text of which only the last so many bytes are kept: what is new in it since it was last looked at.
#pragma once

#include <algorithm>
#include <string_view>

namespace hawser::cli {

/// The part of `now` behind what was `seen`; all of it where the two have nothing in common any more.
inline std::string_view news_in(std::string_view seen, std::string_view now) noexcept {
  if (now.starts_with(seen)) return now.substr(seen.size());
  // The beginning was forgotten: the end of what was seen stands somewhere in it still, unless too much has come since.
  constexpr std::size_t enough = 200;
  const std::string_view mark = seen.substr(seen.size() - std::min(seen.size(), enough));
  const std::size_t at = now.rfind(mark);
  return at == std::string_view::npos ? now : now.substr(at + mark.size());
}

/// Without an unfinished line at the end.
inline std::string_view whole_lines(std::string_view text) noexcept {
  const std::size_t last = text.rfind('\n');
  return last == std::string_view::npos ? std::string_view{} : text.substr(0, last + 1);
}

}  // namespace hawser::cli

// SPDX-License-Identifier: MIT
// The text of a settings file, and where something stands in it: people write comments and commas that JSON does not
// know, and want to be told the line of a mistake. What the settings mean is not known here.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hawser::detail {

/// Of a place in a text, both from 1; a column is a character, not a byte.
struct text_position {
  int line = 1;
  int column = 1;
};

/// Where the lines of a text begin, so that many places in it can be told.
class text_lines {
 public:
  explicit text_lines(std::string_view text);
  [[nodiscard]] int line_of(std::size_t offset) const noexcept;
  [[nodiscard]] text_position position_of(std::size_t offset) const noexcept;

 private:
  std::string_view text_;
  std::vector<std::size_t> begins_{0};
};

struct text_fault {
  std::size_t offset = 0;
  std::string what;
};

/// Puts spaces in the place of comments and of commas before a closing bracket; everything else keeps its place. The
/// fault is a comment that never ends.
std::optional<text_fault> blank_extras(std::string& text);

/// "TOML" or "YAML", where the first line of a text that is no JSON looks like it; else empty.
[[nodiscard]] std::string_view other_format(std::string_view text) noexcept;

/// What keeps the text from being JSON, and where; nothing if it is.
[[nodiscard]] std::optional<text_fault> find_fault(std::string_view text);

}  // namespace hawser::detail

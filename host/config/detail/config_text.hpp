// SPDX-License-Identifier: MIT
// The text of a configuration file: comments, trailing commas, and positions for error messages. Independent of the
// meaning of the settings.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hawser::detail {

/// Both from 1; columns count characters, not bytes.
struct text_position {
  int line = 1;
  int column = 1;
};

/// The start of each line, for looking up many positions.
class line_index {
 public:
  explicit line_index(std::string_view text);
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

/// Replaces comments and trailing commas with spaces; all other offsets stay the same. Returns a fault for an
/// unterminated comment.
std::optional<text_fault> blank_comments(std::string& text);

/// "TOML" or "YAML" if the first line of a text that is not JSON looks like it; otherwise empty.
[[nodiscard]] std::string_view other_format(std::string_view text) noexcept;

/// Why the text is not JSON, and where; nullopt if it is.
[[nodiscard]] std::optional<text_fault> find_fault(std::string_view text);

}  // namespace hawser::detail

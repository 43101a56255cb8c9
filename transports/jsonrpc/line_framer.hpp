// SPDX-License-Identifier: MIT
// Splits bytes that arrive in pieces into lines. Pure: the bytes stay where they are, and the search resumes where it
// stopped. MCP's stdio transport has one message per line in every revision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hawser {

class line_framer {
 public:
  /// `max_line`: the maximum size of a line in bytes, without its end.
  explicit line_framer(std::size_t max_line = std::size_t{16} << 20) noexcept : max_line_(max_line) {}

  enum class found : std::uint8_t { line, nothing, too_large };
  struct frame {
    found what = found::nothing;
    std::string_view text{};  ///< without line feed, carriage return, and the byte order mark of the first line
    std::size_t used = 0;     ///< bytes to consume, whatever was found; includes blank lines
  };

  /// `unread` starts where the bytes last used ended, and may have grown.
  frame next(std::string_view unread) noexcept;
  /// The same at the end of the input: the remainder is a line even without a line feed.
  frame last(std::string_view unread) noexcept;

 private:
  std::string_view trimmed(std::string_view line) noexcept;

  std::size_t max_line_;
  std::size_t searched_ = 0;  // size of the prefix of `unread` that has no line feed
  bool first_ = true;
};

}  // namespace hawser

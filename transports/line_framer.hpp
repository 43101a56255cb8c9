// SPDX-License-Identifier: MIT
// Finds the lines in bytes that arrive in pieces. Pure: the bytes stay where they are, and the search goes on where it
// stopped. MCP's stdio transport is one message a line in every revision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hawser {

class line_framer {
 public:
  /// A line may have this many bytes, its end not counted.
  explicit line_framer(std::size_t max_line = std::size_t{16} << 20) noexcept : max_line_(max_line) {}

  enum class found : std::uint8_t { line, nothing, too_large };
  struct frame {
    found what = found::nothing;
    std::string_view text{};  ///< without line feed, carriage return and a byte order mark on the very first line
    std::size_t used = 0;     ///< how many bytes to drop, whatever was found: blank lines leave, too
  };

  /// `unread` begins where the bytes last used ended, and has grown or not.
  frame next(std::string_view unread) noexcept;
  /// The same when no more bytes will come: what is left is a line even without a line feed.
  frame last(std::string_view unread) noexcept;

 private:
  std::string_view trimmed(std::string_view line) noexcept;

  std::size_t max_line_;
  std::size_t searched_ = 0;  // how far into `unread` there is no line feed
  bool first_ = true;
};

}  // namespace hawser

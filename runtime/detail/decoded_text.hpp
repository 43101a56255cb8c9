// SPDX-License-Identifier: MIT
// A text without its percent codes and JSON escapes, and where each byte of it was. Only for comparing: it is no text
// that anybody has sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hawser::detail {

/// Decodes in one pass, to any depth and in any mixture: what comes out of an escape may be part of the next one.
/// A text and every encoding of it become the same bytes. For that, backslashes are dropped, because each level of JSON
/// doubles them, and a control character becomes the letter of its escape: `\n` and `\\n` are both `n`.
class decoded_text {
 public:
  struct range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  explicit decoded_text(std::string_view text);

  [[nodiscard]] const std::string& bytes() const& noexcept { return bytes_; }
  [[nodiscard]] std::string bytes() && noexcept { return std::move(bytes_); }
  /// Where a range of bytes() was in the text.
  [[nodiscard]] range origin(range here) const noexcept;

  /// Whether decoding could change the text.
  [[nodiscard]] static bool has_escapes(std::string_view text) noexcept {
    return text.find_first_of("%\\") != std::string_view::npos;
  }

 private:
  std::size_t take_first(std::string_view text, std::uint32_t at);
  void take(char c, std::uint32_t at);
  [[nodiscard]] bool is_marked(std::size_t at) const noexcept;
  void cut(std::size_t size);
  void append_unit(std::uint32_t unit, std::size_t begin);

  std::string bytes_;
  std::vector<std::uint32_t> from_;    // by byte: the offset of its escape sequence; the last entry is the end
  std::vector<std::uint32_t> marked_;  // offsets of each `u` and `%` behind a backslash
  std::size_t settled_ = 0;            // no escape sequence that began below can be completed at this size or above
  bool behind_backslash_ = false;
  std::uint32_t backslash_at_ = 0;
};

}  // namespace hawser::detail

// SPDX-License-Identifier: MIT
// The only path for untrusted bytes to the terminal. `safe_text` is created only here, and the printer in output.hpp
// accepts only safe_text and literals, so printing unescaped server text does not compile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace hawser::cli {

class safe_text;

/// The style of a piece, if colours are enabled.
enum class text_style : std::uint8_t { plain, bold, dim, red, green, yellow, cyan };

/// A literal of this program, or a view of a safe text. Lines are composed of pieces. For use as an argument only.
class text_piece {
 public:
  // NOLINTBEGIN(google-explicit-constructor,hicpp-explicit-conversions): both stand for themselves in lists of pieces
  consteval text_piece(const char* literal) : text_(literal) {
    for (const char c : text_) {
      if ((c < ' ' && c != '\n' && c != '\t') || c == '\x7f') throw "a literal with control characters";
    }
  }
  text_piece(const safe_text& text) noexcept;
  // NOLINTEND(google-explicit-constructor,hicpp-explicit-conversions)

  [[nodiscard]] std::string_view view() const noexcept { return text_; }
  [[nodiscard]] text_style colour() const noexcept { return colour_; }
  friend text_piece styled(text_style colour, text_piece what) noexcept {
    what.colour_ = colour;
    return what;
  }

 private:
  std::string_view text_;
  text_style colour_ = text_style::plain;
};

text_piece styled(text_style colour, text_piece what) noexcept;

/// How much of a text is shown. A note says what was cut.
struct escape_limits {
  std::size_t max_bytes = 2'000;
  std::size_t max_lines = 1;  ///< if 1, line feeds and tabs are escaped like any control character
  std::size_t max_line_bytes = 2'000;
};

/// For results, which are already cut to the host's limit.
inline constexpr escape_limits whole_text{.max_bytes = SIZE_MAX, .max_lines = SIZE_MAX, .max_line_bytes = SIZE_MAX};
/// One line of any length.
inline constexpr escape_limits whole_line{.max_bytes = SIZE_MAX, .max_lines = 1, .max_line_bytes = SIZE_MAX};
/// For text shown above a prompt: the prompt must stay on the screen.
inline constexpr escape_limits some_lines{.max_bytes = 4'000, .max_lines = 12, .max_line_bytes = 500};

/// Text that is safe to display: valid UTF-8 without control characters except line feeds and tabs, and without
/// characters that hide, reorder or draw. Those are shown as \u{1b}; bytes that are not UTF-8 as \xff.
class safe_text {
 public:
  safe_text() = default;
  /// Concatenates the pieces; their colours only apply when printed.
  safe_text(std::initializer_list<text_piece> parts);

  [[nodiscard]] std::string_view view() const noexcept { return text_; }
  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }
  safe_text& operator+=(text_piece more);
  friend bool operator==(const safe_text&, const safe_text&) = default;

  /// The number of terminal columns of a single line.
  [[nodiscard]] std::size_t columns() const noexcept;
  /// The text cut to this many columns, with an ellipsis at the end if it was cut.
  [[nodiscard]] safe_text fitted(std::size_t columns) const;
  /// This text, `count` times.
  [[nodiscard]] safe_text repeated(std::size_t count) const;
  /// The number of lines; a final line feed does not start another line.
  [[nodiscard]] std::size_t lines() const noexcept;

 private:
  friend safe_text escaped(std::string_view untrusted, escape_limits limits);
  friend safe_text escaped_json(std::string_view json);
  friend safe_text decimal(std::int64_t number);
  explicit safe_text(std::string text) noexcept : text_(std::move(text)) {}
  std::string text_;
};

safe_text escaped(std::string_view untrusted, escape_limits limits = {});
/// The same value as JSON: what escaped() would escape is written as \uXXXX inside its strings, complete and on one
/// line. Precondition: valid JSON except for bytes that are not UTF-8, which become U+FFFD.
safe_text escaped_json(std::string_view json);
safe_text decimal(std::int64_t number);

inline text_piece::text_piece(const safe_text& text) noexcept : text_(text.view()) {}

}  // namespace hawser::cli

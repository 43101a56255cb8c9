// SPDX-License-Identifier: MIT
// The one way from untrusted bytes to the screen. `safe_text` is made only here, and the printer of terminal.hpp takes
// nothing else but literals: text of a server that was not escaped does not compile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace hawser::cli {

class safe_text;

/// How a piece is to look, where there are colours.
enum class ink : std::uint8_t { plain, bold, dim, red, green, yellow, cyan };

/// A literal of this program, or a view of a safe text: what lines are put together from. For arguments only.
class piece {
 public:
  // NOLINTBEGIN(google-explicit-constructor,hicpp-explicit-conversions): both stand for themselves in lists of pieces
  consteval piece(const char* literal) : text_(literal) {
    for (const char c : text_) {
      if ((c < ' ' && c != '\n' && c != '\t') || c == '\x7f') throw "a literal with control characters";
    }
  }
  piece(const safe_text& text) noexcept;
  // NOLINTEND(google-explicit-constructor,hicpp-explicit-conversions)

  [[nodiscard]] std::string_view view() const noexcept { return text_; }
  [[nodiscard]] ink colour() const noexcept { return colour_; }
  friend piece in(ink colour, piece what) noexcept {
    what.colour_ = colour;
    return what;
  }

 private:
  std::string_view text_;
  ink colour_ = ink::plain;
};

piece in(ink colour, piece what) noexcept;

/// How much of a text is shown. What is cut is said.
struct escape_limits {
  std::size_t max_bytes = 2'000;
  std::size_t max_lines = 1;  ///< with one, line feeds and tabs are escaped like any control character
  std::size_t max_line_bytes = 2'000;
};

/// For results, which have been cut to the host's limit before.
inline constexpr escape_limits whole_text{.max_bytes = SIZE_MAX, .max_lines = SIZE_MAX, .max_line_bytes = SIZE_MAX};
/// One line, however long.
inline constexpr escape_limits whole_line{.max_bytes = SIZE_MAX, .max_lines = 1, .max_line_bytes = SIZE_MAX};
/// For what a question shows: the decision below it must stay on the screen.
inline constexpr escape_limits some_lines{.max_bytes = 4'000, .max_lines = 12, .max_line_bytes = 500};

/// Text that shows what it is: valid UTF-8 without any control character but line feeds and tabs, and without
/// characters that hide, reorder or draw. Those stand as \u{1b}, bytes that are not UTF-8 as \xff.
class safe_text {
 public:
  safe_text() = default;
  /// The pieces one after another; their colours are for printers only.
  safe_text(std::initializer_list<piece> parts);

  [[nodiscard]] std::string_view view() const noexcept { return text_; }
  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }
  safe_text& operator+=(piece more);
  friend bool operator==(const safe_text&, const safe_text&) = default;

  /// How many columns of a terminal one line of it takes.
  [[nodiscard]] std::size_t columns() const noexcept;
  /// The first so many columns; an ellipsis at the end where something is missing.
  [[nodiscard]] safe_text fitted(std::size_t columns) const;
  /// `count` times this text.
  [[nodiscard]] safe_text repeated(std::size_t count) const;
  /// A line of it each; no empty one at the end.
  [[nodiscard]] std::size_t lines() const noexcept;

 private:
  friend safe_text escaped(std::string_view untrusted, escape_limits limits);
  friend safe_text escaped_json(std::string_view json);
  friend safe_text decimal(std::int64_t number);
  explicit safe_text(std::string text) noexcept : text_(std::move(text)) {}
  std::string text_;
};

safe_text escaped(std::string_view untrusted, escape_limits limits = {});
/// The same value as JSON: what would be escaped above stands as \uXXXX inside its strings, whole and on one line.
/// Precondition: valid JSON but for bytes that are not UTF-8, which become U+FFFD.
safe_text escaped_json(std::string_view json);
safe_text decimal(std::int64_t number);

inline piece::piece(const safe_text& text) noexcept : text_(text.view()) {}

}  // namespace hawser::cli

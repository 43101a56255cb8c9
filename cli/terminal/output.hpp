// SPDX-License-Identifier: MIT
// Buffered output to stdout or stderr. A terminal gets escaped text only (escape.hpp). The descriptor is not made
// non-blocking, because other processes share it: each write is preceded by a poll().
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "../../runtime/async/task.hpp"
#include "../../runtime/error.hpp"
#include "escape.hpp"

namespace hawser::cli {

/// Whether to use colours: only on a terminal that supports them, unless NO_COLOR is set (https://no-color.org).
bool wants_colours(bool is_terminal, const char* no_color, const char* term) noexcept;

/// A transient line at the bottom of the terminal that is erased before anything else is printed.
class status_line {
 public:
  explicit status_line(int descriptor) noexcept : descriptor_(descriptor) {}
  void draw(const safe_text& text) noexcept;
  void erase() noexcept;
  [[nodiscard]] bool drawn() const noexcept { return drawn_; }

 private:
  int descriptor_;
  bool drawn_ = false;
};

class output {
 public:
  enum class buffering : std::uint8_t {
    full,  ///< written on flush() or write_available()
    line,  ///< each line at once, if it can be written without waiting
  };
  /// `status` is erased before anything is written; may be null.
  explicit output(int descriptor, buffering speed = buffering::full, status_line* status = nullptr);

  void print(std::initializer_list<text_piece> parts);
  void line(std::initializer_list<text_piece> parts);
  void line(text_piece only) { line({only}); }
  /// Raw bytes, for a file or another program. Fails and prints nothing if this is a terminal.
  result<void> write_raw(std::string_view bytes);
  /// Server text: escaped and limited on a terminal, unchanged in a file or pipe.
  void text(std::string_view untrusted, escape_limits limits = whole_text);
  /// The same, followed by a line feed if the text is not empty and does not end with one.
  void text_lines(std::string_view untrusted, escape_limits limits = whole_text);
  /// The limits for one line of server text: none for a file or pipe.
  [[nodiscard]] escape_limits line_limits() const noexcept { return is_terminal_ ? escape_limits{} : whole_line; }
  /// Clears a terminal and moves the cursor to the top left; no effect otherwise.
  void clear_screen();

  /// Writes what can be written without waiting.
  void write_available() noexcept;
  /// Writes everything. errc::closed if the reader is gone.
  task<result<void>> flush();
  /// The same without a loop; blocks without limit.
  result<void> flush_blocking();
  /// The same, but gives up if the descriptor is not writable for a second.
  void finish() noexcept;

  [[nodiscard]] bool is_terminal() const noexcept { return is_terminal_; }
  /// The number of columns; nullopt if this is not a terminal.
  [[nodiscard]] std::optional<std::size_t> width() const noexcept;
  [[nodiscard]] std::optional<std::size_t> height() const noexcept;
  /// EPIPE: the reader is gone, for example `head`.
  [[nodiscard]] bool broken() const noexcept;
  /// The write error, if any; after it nothing is written any more.
  [[nodiscard]] std::optional<error> failure() const;

 private:
  [[nodiscard]] std::size_t pending() const noexcept { return buffer_.size() - written_; }
  bool write_within(int patience_ms) noexcept;

  int descriptor_;
  buffering buffering_;
  status_line* status_;
  bool is_terminal_;
  bool coloured_;
  std::size_t chunk_;
  std::string buffer_;
  std::size_t written_ = 0;
  int failure_ = 0;  // errno
};

}  // namespace hawser::cli

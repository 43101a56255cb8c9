// SPDX-License-Identifier: MIT
// The printer: stdout or stderr, whatever it is connected to. A terminal gets safe text only (escape.hpp). Does not
// make the descriptor non-blocking, because others share it: it asks before each write whether somebody takes the
// bytes.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "../runtime/error.hpp"
#include "../runtime/task.hpp"
#include "escape.hpp"

namespace hawser::cli {

/// Colours are for people at a terminal that knows them and who did not say no: https://no-color.org.
bool wants_colours(bool is_terminal, const char* no_color, const char* term) noexcept;

/// A line at the bottom of the terminal that comes and goes, and is never in the way of what is printed.
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
  enum class pace : std::uint8_t {
    flushed,  ///< written when somebody says so
    lines,    ///< each line at once, if somebody takes it
  };
  /// `status` is erased before anything is written; null if there is none.
  explicit output(int descriptor, pace speed = pace::flushed, status_line* status = nullptr);

  void print(std::initializer_list<piece> parts);
  void line(std::initializer_list<piece> parts);
  void line(piece only) { line({only}); }
  /// Bytes as they are, for a file or another program; an error, and nothing printed, if this is a terminal.
  result<void> exact(std::string_view bytes);
  /// Text of a server: a terminal gets it escaped and within the limits, a file or another program every byte as it is.
  void text(std::string_view untrusted, escape_limits limits = whole_text);
  /// The same, and a line feed where there is text that does not end with one.
  void text_lines(std::string_view untrusted, escape_limits limits = whole_text);
  /// How much of one line of a server's text is shown here: a file or another program gets all of it.
  [[nodiscard]] escape_limits line_limits() const noexcept { return is_terminal_ ? escape_limits{} : whole_line; }
  /// Back to the top left of a terminal's empty screen; nothing elsewhere.
  void clear_screen();

  /// Writes what can be written without waiting.
  void push() noexcept;
  /// Writes everything. errc::closed when nobody will read it any more.
  task<result<void>> flush();
  /// The same outside of a loop, which waits as long as it takes.
  result<void> flush_blocking();
  /// The same, but gives up after a second of nobody reading.
  void finish() noexcept;

  [[nodiscard]] bool is_terminal() const noexcept { return is_terminal_; }
  /// Columns; nothing if this is no terminal.
  [[nodiscard]] std::optional<std::size_t> width() const noexcept;
  [[nodiscard]] std::optional<std::size_t> height() const noexcept;
  /// The reader is gone: a pipe into `head`, say.
  [[nodiscard]] bool broken() const noexcept;
  /// Why nothing can be written any more, if so.
  [[nodiscard]] std::optional<error> failure() const;

 private:
  [[nodiscard]] std::size_t pending() const noexcept { return buffer_.size() - written_; }
  bool push_within(int patience_ms) noexcept;

  int descriptor_;
  pace speed_;
  status_line* status_;
  bool is_terminal_;
  bool coloured_;
  std::size_t chunk_;
  std::string buffer_;
  std::size_t written_ = 0;
  int failure_ = 0;  // errno
};

}  // namespace hawser::cli

// SPDX-License-Identifier: MIT
// Reads lines of user input without blocking the loop.
#pragma once

#include <memory>
#include <string>

#include "../../runtime/async/task.hpp"
#include "../../runtime/error.hpp"
#include "../../runtime/io/stream.hpp"

namespace hawser::cli {

class line_source {
 public:
  line_source() = default;
  line_source(const line_source&) = delete;
  line_source& operator=(const line_source&) = delete;
  virtual ~line_source() = default;
  /// The line without its line feed, which may be missing at the end; errc::closed at the end of input (Ctrl-D).
  /// Unbounded: it waits for the user.
  virtual task<result<std::string>> next() = 0;
};

/// Reads from the terminal of stdin through a new descriptor: making stdin itself non-blocking would affect all
/// processes that share it. Input typed before it was opened is discarded, because it does not answer the prompt.
class terminal_line_source final : public line_source {
 public:
  static result<stream> open(loop& home);
  explicit terminal_line_source(stream from) noexcept : from_(std::move(from)) {}
  task<result<std::string>> next() override;

 private:
  stream from_;
};

/// Any kind of stdin: a terminal as above, a pipe, or a file, which is read at once.
result<std::unique_ptr<line_source>> open_standard_lines(loop& home);

}  // namespace hawser::cli

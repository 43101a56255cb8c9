// SPDX-License-Identifier: MIT
// Lines that a person types, without blocking the loop.
#pragma once

#include <memory>
#include <string>

#include "../runtime/error.hpp"
#include "../runtime/stream.hpp"
#include "../runtime/task.hpp"

namespace hawser::cli {

class line_source {
 public:
  line_source() = default;
  line_source(const line_source&) = delete;
  line_source& operator=(const line_source&) = delete;
  virtual ~line_source() = default;
  /// Without its line feed, which the last one may lack; errc::closed at the end of input (Ctrl-D). Unbounded: people
  /// think.
  virtual task<result<std::string>> next() = 0;
};

/// The terminal that stdin is, opened anew: making stdin itself non-blocking would do so for everybody who shares it.
/// What was typed before it was opened is no answer to what is asked afterwards, and is dropped.
class terminal_lines final : public line_source {
 public:
  static result<stream> open(loop& home);
  explicit terminal_lines(stream from) noexcept : from_(std::move(from)) {}
  task<result<std::string>> next() override;

 private:
  stream from_;
};

/// Whatever stdin is: a terminal as above, a pipe, or a file, which is read at once.
result<std::unique_ptr<line_source>> standard_lines(loop& home);

}  // namespace hawser::cli

// SPDX-License-Identifier: MIT
// Lines that a person types, without blocking the loop.
#pragma once

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
  /// Without its line feed; errc::closed at the end of input (Ctrl-D). Unbounded: people think.
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

}  // namespace hawser::cli

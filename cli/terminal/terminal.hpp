// SPDX-License-Identifier: MIT
// The three standard descriptors of the program, and the status line that shows what it waits for.
#pragma once

#include <cstdint>

#include "../../runtime/loop/loop.hpp"
#include "output.hpp"

namespace hawser::cli {

class terminal {
 public:
  struct descriptors {
    int in = 0;
    int out = 1;
    int err = 2;
  };
  explicit terminal(descriptors of);
  terminal(const terminal&) = delete;
  terminal& operator=(const terminal&) = delete;
  ~terminal();

  /// Whether a user can be asked: stdin and stderr are terminals, and the CI variable is not set.
  [[nodiscard]] bool interactive() const noexcept { return interactive_; }

  status_line status;
  output out;
  output err;

 private:
  bool interactive_;
};

/// Shows on stderr's terminal what the program is waiting for, after a short delay.
class progress_line final : private timer {
 public:
  enum class visibility : std::uint8_t { shown, hidden };  ///< hidden: never drawn
  progress_line(loop& home, terminal& at, visibility visible = visibility::shown) noexcept
      : loop_(home), terminal_(at), visible_(visible) {}
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;
  ~progress_line() { end(); }

  /// Replaces the current text.
  void show(safe_text what);
  void end() noexcept;
  /// Suspends drawing while the user is being asked.
  void hold(bool held) noexcept;

 private:
  void on_expired() noexcept override;

  loop& loop_;
  terminal& terminal_;
  visibility visible_;
  safe_text text_;
  bool wanted_ = false;
  bool held_ = false;
};

}  // namespace hawser::cli

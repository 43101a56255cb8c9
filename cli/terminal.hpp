// SPDX-License-Identifier: MIT
// The three descriptors of the program, and the line that says what it waits for.
#pragma once

#include <cstdint>

#include "../runtime/loop.hpp"
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

  /// Somebody is there who can be asked: stdin and stderr are terminals, and this is no automatic build.
  [[nodiscard]] bool interactive() const noexcept { return interactive_; }

  status_line status;
  output out;
  output err;

 private:
  bool interactive_;
};

/// What the program is waiting for, on stderr's terminal: it appears only if that takes longer than a moment.
class progress final : private timer {
 public:
  enum class visibility : std::uint8_t { shown, hidden };  ///< hidden: nothing is ever drawn
  progress(loop& home, terminal& at, visibility visible = visibility::shown) noexcept
      : loop_(home), terminal_(at), visible_(visible) {}
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress() { end(); }

  /// Replaces what was shown before.
  void show(safe_text what);
  void end() noexcept;
  /// While somebody is asked something, nothing is drawn over the question.
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

// SPDX-License-Identifier: MIT
// The time a loop lives by. Programs use the steady clock; tests put a clock of their own in its place, so that no
// test sleeps.
#pragma once

#include <chrono>

namespace hawser {

using duration = std::chrono::nanoseconds;
using time_point = std::chrono::time_point<std::chrono::steady_clock, duration>;

class clock {
 public:
  [[nodiscard]] virtual time_point now() noexcept = 0;
  /// Asked before the loop would sleep with nothing to do until `next`: a clock that can jump there does, and
  /// answers true; the steady clock lets the loop sleep.
  virtual bool jump(time_point /*next*/) noexcept { return false; }
  /// Whether real time has anything to do with this clock: only then is the loop woken by a real timer.
  [[nodiscard]] virtual bool real() const noexcept { return true; }

 protected:
  ~clock() = default;
};

class steady_clock final : public clock {
 public:
  [[nodiscard]] time_point now() noexcept override { return std::chrono::steady_clock::now(); }
  /// On the same scale, a few milliseconds behind.
  [[nodiscard]] static time_point last_tick() noexcept;
};

}  // namespace hawser

// SPDX-License-Identifier: MIT
// The clock of a loop. Programs use the steady clock; tests install a virtual clock, so that no test sleeps.
#pragma once

#include <chrono>

namespace hawser {

using duration = std::chrono::nanoseconds;
using time_point = std::chrono::time_point<std::chrono::steady_clock, duration>;

class clock {
 public:
  [[nodiscard]] virtual time_point now() noexcept = 0;
  /// Called before the loop would sleep until `next`. A virtual clock advances to `next` and returns true; the steady
  /// clock returns false, and the loop sleeps.
  virtual bool try_advance_to(time_point /*next*/) noexcept { return false; }
  /// Whether this clock follows real time. Only then does the loop set a libuv timer.
  [[nodiscard]] virtual bool is_real_time() const noexcept { return true; }

 protected:
  ~clock() = default;
};

class steady_clock final : public clock {
 public:
  [[nodiscard]] time_point now() noexcept override { return std::chrono::steady_clock::now(); }
  /// The same time scale, a few milliseconds behind.
  [[nodiscard]] static time_point coarse_now() noexcept;
};

}  // namespace hawser

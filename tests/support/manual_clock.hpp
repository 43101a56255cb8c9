// SPDX-License-Identifier: MIT
// A clock that advances when a test says so, or at once when the loop has nothing else to do, so that no test sleeps.
#pragma once

#include "../../runtime/loop/clock.hpp"

namespace hawser::testing {

class manual_clock final : public clock {
 public:
  enum class when_idle : bool { stand_still, jump };
  explicit manual_clock(when_idle rule = when_idle::jump) : rule_(rule) {}

  void advance(duration by) noexcept { now_ += by; }
  [[nodiscard]] duration elapsed() const noexcept { return now_ - beginning; }

  [[nodiscard]] time_point now() noexcept override { return now_; }
  bool try_advance_to(time_point next) noexcept override {
    if (rule_ == when_idle::stand_still) return false;
    if (next > now_) now_ = next;
    return true;
  }
  [[nodiscard]] bool is_real_time() const noexcept override { return false; }

 private:
  static constexpr time_point beginning{std::chrono::hours{1}};
  when_idle rule_;
  time_point now_ = beginning;
};

}  // namespace hawser::testing

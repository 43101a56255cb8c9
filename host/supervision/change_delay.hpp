// SPDX-License-Identifier: MIT
// When a list is read again after change notifications, which come in bursts: after a quiet period, or when the burst
// has lasted too long. Pure: the time is a parameter.
#pragma once

#include <algorithm>
#include <optional>

#include "../../runtime/loop/clock.hpp"

namespace hawser {

class change_delay {
 public:
  explicit change_delay(duration quiet_period) noexcept : quiet_period_(quiet_period) {}

  void on_change(time_point now) noexcept {
    last_ = now;
    if (!first_) first_ = now;
  }
  /// A change has not been read yet.
  [[nodiscard]] bool pending() const noexcept { return first_.has_value(); }
  /// When the list is to be read; nullopt if nothing has changed.
  [[nodiscard]] std::optional<time_point> due() const noexcept {
    if (!first_) return std::nullopt;
    return std::min(last_ + quiet_period_, *first_ + longest_burst * quiet_period_);
  }
  void reset() noexcept { first_.reset(); }

 private:
  static constexpr int longest_burst = 10;  // in quiet periods

  duration quiet_period_;
  std::optional<time_point> first_;  // since the last reset()
  time_point last_;
};

}  // namespace hawser

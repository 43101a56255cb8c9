// SPDX-License-Identifier: MIT
// When a server that keeps ending is started again, and when it is given up. Pure: time is told.
#pragma once

#include <optional>
#include <vector>

#include "../runtime/clock.hpp"

namespace hawser {

struct restart_limits {
  duration first_pause = std::chrono::seconds{1};
  duration longest_pause = std::chrono::minutes{1};
  std::size_t starts = 10;  ///< within `window`; after that many it is given up
  duration window = std::chrono::minutes{10};
  duration stable = std::chrono::minutes{2};  ///< one that ran so long begins anew
};

class restart_plan {
 public:
  explicit restart_plan(restart_limits limits = {}) noexcept : limits_(limits), pause_(limits.first_pause) {}

  void started(time_point now);
  /// How long to wait before the next start; nothing if it has been started too often. `jitter`, from 0 to 1, makes
  /// the pause up to a fifth longer, so that many servers do not come back in step.
  std::optional<duration> ended(time_point now, double jitter);
  /// Somebody wants it to be tried again.
  void forget() noexcept;

 private:
  restart_limits limits_;
  duration pause_;
  std::vector<time_point> starts_;
};

}  // namespace hawser

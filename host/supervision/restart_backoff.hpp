// SPDX-License-Identifier: MIT
// Decides when a server that keeps ending is restarted, and when to give up. Pure: the time is a parameter.
#pragma once

#include <optional>
#include <vector>

#include "../../runtime/loop/clock.hpp"

namespace hawser {

struct restart_limits {
  duration first_pause = std::chrono::seconds{1};
  duration longest_pause = std::chrono::minutes{1};
  std::size_t starts = 10;  ///< within `window`; after that many, give up
  duration window = std::chrono::minutes{10};
  duration stable = std::chrono::minutes{2};  ///< a run of this length resets the plan
};

class restart_backoff {
 public:
  explicit restart_backoff(restart_limits limits = {}) noexcept : limits_(limits), pause_(limits.first_pause) {}

  void started(time_point now);
  /// The delay before the next start; nullopt if there were too many starts. `jitter`, from 0 to 1, lengthens the delay
  /// by up to a fifth, so that many servers do not restart at the same time.
  std::optional<duration> ended(time_point now, double jitter);
  /// Resets the plan, after a manual restart.
  void forget() noexcept;

 private:
  restart_limits limits_;
  duration pause_;
  std::vector<time_point> starts_;
};

}  // namespace hawser

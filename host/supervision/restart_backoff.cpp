// SPDX-License-Identifier: MIT
#include "restart_backoff.hpp"

#include <algorithm>

namespace hawser {

void restart_backoff::started(time_point now) { starts_.push_back(now); }

std::optional<duration> restart_backoff::ended(time_point now, double jitter) {
  if (!starts_.empty() && now - starts_.back() >= limits_.stable) forget();
  std::erase_if(starts_, [&](time_point start) { return now - start >= limits_.window; });
  if (starts_.size() >= limits_.starts) return std::nullopt;
  const duration pause = pause_;
  pause_ = std::min(2 * pause_, limits_.longest_pause);
  return pause + std::chrono::duration_cast<duration>(pause * (jitter / 5));
}

void restart_backoff::forget() noexcept {
  starts_.clear();
  pause_ = limits_.first_pause;
}

}  // namespace hawser

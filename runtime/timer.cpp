// SPDX-License-Identifier: MIT
#include "timer.hpp"

#include <algorithm>

#include "detail/check.hpp"

namespace hawser {

namespace {
// Long enough for any timeout, and short enough that adding it to any time of this century cannot overflow.
constexpr duration longest = std::chrono::hours{24 * 365 * 50};

// Timeouts from configuration recur, and they are whole milliseconds. A computed timeout, such as the remainder of
// another, would need a lane of its own. It is rounded up by at most one percent, and at most ten milliseconds, so that
// many share a lane. Lanes of shorter timeouts become free too soon to accumulate.
constexpr duration written_down = std::chrono::milliseconds{1};
constexpr duration coarsest = std::chrono::milliseconds{10};
constexpr duration finest = std::chrono::microseconds{100};

duration shared_length(duration after) {
  if (after < 100 * finest || after % written_down == duration::zero()) return after;
  duration step = coarsest;
  while (step * 100 > after) step /= 10;
  return (after / step + 1) * step;
}

// The number of empty lanes kept for reuse. More lanes would only make the search longer.
constexpr std::size_t lanes_at_hand = 32;
}  // namespace

timer_queue::lane& timer_queue::lane_for(duration after) {
  if (last_used_ != nullptr && last_used_->after == after) return *last_used_;
  lane* idle = nullptr;
  for (lane& l : lanes_) {
    if (l.after == after) return *(last_used_ = &l);
    if (idle == nullptr && l.waiting.empty()) idle = &l;  // the first one, so that the last ones can be removed
  }
  // An empty lane of another length is reused, so there are never more lanes than lengths in use at the same time.
  if (idle == nullptr) idle = &lanes_.emplace_back(after);
  idle->after = after;
  return *(last_used_ = idle);
}

void timer_queue::start(timer& t, duration after, time_point now) {
  detail::require(!t.running(), "a timer was started twice");
  after = shared_length(std::clamp(after, duration::zero(), longest));
  t.due_ = now + after;
  lane_for(after).waiting.push_back(t);
  next_ = std::min(next_, t.due_);
}

std::size_t timer_queue::expire(time_point now) noexcept {
  if (now < next_) return 0;
  std::size_t count = 0;
  // By index: on_expired may start a timer of a new length, and adding a lane invalidates the iterators of a deque.
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    lane& l = lanes_[i];
    while (!l.waiting.empty() && l.waiting.front().due_ <= now) {
      ++count;
      l.waiting.pop_front().on_expired();
    }
  }
  while (lanes_.size() > lanes_at_hand && lanes_.back().waiting.empty()) {
    lanes_.pop_back();
    last_used_ = nullptr;
  }
  next_ = time_point::max();
  for (const lane& l : lanes_) {
    if (!l.waiting.empty()) next_ = std::min(next_, l.waiting.front().due_);
  }
  return count;
}

bool timer_queue::empty() const noexcept {
  return std::all_of(lanes_.begin(), lanes_.end(), [](const lane& l) { return l.waiting.empty(); });
}

}  // namespace hawser

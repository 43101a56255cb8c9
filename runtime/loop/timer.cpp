// SPDX-License-Identifier: MIT
#include "timer.hpp"

#include <algorithm>

#include "../detail/check.hpp"

namespace hawser {

namespace {
// Long enough for any timeout, and short enough that adding it to any time of this century cannot overflow.
constexpr duration longest = std::chrono::hours{24 * 365 * 50};

// Timeouts from configuration recur, and they are whole milliseconds. A computed timeout, such as the remainder of
// another, would need a bucket of its own. It is rounded up by at most one percent, and at most ten milliseconds, so
// that many share a bucket. Buckets of shorter timeouts become free too soon to accumulate.
constexpr duration configured_unit = std::chrono::milliseconds{1};
constexpr duration coarsest = std::chrono::milliseconds{10};
constexpr duration finest = std::chrono::microseconds{100};

duration shared_length(duration after) {
  if (after < 100 * finest || after % configured_unit == duration::zero()) return after;
  duration step = coarsest;
  while (step * 100 > after) step /= 10;
  return (after / step + 1) * step;
}

// The number of empty buckets kept for reuse. More buckets would only make the search longer.
constexpr std::size_t spare_buckets = 32;
}  // namespace

timer_queue::bucket& timer_queue::bucket_for(duration after) {
  if (last_used_ != nullptr && last_used_->after == after) return *last_used_;
  bucket* idle = nullptr;
  for (bucket& l : buckets_) {
    if (l.after == after) return *(last_used_ = &l);
    if (idle == nullptr && l.waiting.empty()) idle = &l;  // the first one, so that the last ones can be removed
  }
  // An empty bucket of another length is reused, so there are never more buckets than lengths in use at the same time.
  if (idle == nullptr) idle = &buckets_.emplace_back(after);
  idle->after = after;
  return *(last_used_ = idle);
}

void timer_queue::start(timer& t, duration after, time_point now) {
  detail::require(!t.running(), "a timer was started twice");
  after = shared_length(std::clamp(after, duration::zero(), longest));
  t.due_ = now + after;
  bucket_for(after).waiting.push_back(t);
  next_ = std::min(next_, t.due_);
}

std::size_t timer_queue::expire(time_point now) noexcept {
  if (now < next_) return 0;
  std::size_t count = 0;
  // By index: on_expired may start a timer of a new length, and adding a bucket invalidates the iterators of a deque.
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    bucket& l = buckets_[i];
    while (!l.waiting.empty() && l.waiting.front().due_ <= now) {
      ++count;
      l.waiting.pop_front().on_expired();
    }
  }
  while (buckets_.size() > spare_buckets && buckets_.back().waiting.empty()) {
    buckets_.pop_back();
    last_used_ = nullptr;
  }
  next_ = time_point::max();
  for (const bucket& l : buckets_) {
    if (!l.waiting.empty()) next_ = std::min(next_, l.waiting.front().due_);
  }
  return count;
}

bool timer_queue::empty() const noexcept {
  return std::all_of(buckets_.begin(), buckets_.end(), [](const bucket& l) { return l.waiting.empty(); });
}

}  // namespace hawser

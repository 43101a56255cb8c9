// SPDX-License-Identifier: MIT
// Deadlines by the thousand: one first-in-first-out list per timeout value, since deadlines of the same length expire
// in the order they were set (but for rough ones among them, by a tick of the system's clock). Starting and cancelling
// one costs a few nanoseconds and allocates nothing once its length has been seen. The loop puts the whole queue under
// one libuv timer.
#pragma once

#include <deque>

#include "clock.hpp"
#include "detail/list.hpp"

namespace hawser {

class timer_queue;

/// Embedded in whatever waits. `on_expired` runs on the loop thread, at most once per start, and resumes nobody.
class timer : private detail::list_node<timer> {
 public:
  [[nodiscard]] bool running() const noexcept { return linked(); }
  void cancel() noexcept { unlink(); }

 protected:
  timer() = default;
  ~timer() = default;
  virtual void on_expired() noexcept = 0;

 private:
  friend class timer_queue;
  friend class detail::list<timer, timer>;
  time_point due_;
};

class timer_queue {
 public:
  void start(timer& t, duration after, time_point now);
  /// Runs what is due and returns how many that were.
  std::size_t expire(time_point now) noexcept;
  /// When to look again; time_point::max() for never. May be too early, after a cancellation, never too late.
  [[nodiscard]] time_point next() const noexcept { return next_; }
  [[nodiscard]] bool empty() const noexcept;

 private:
  struct lane {
    explicit lane(duration length) : after(length) {}
    duration after;
    detail::list<timer, timer> waiting;
  };
  lane& lane_for(duration after);

  time_point next_ = time_point::max();
  lane* last_used_ = nullptr;
  std::deque<lane> lanes_;  // a deque, because a list's head may not move
};

}  // namespace hawser

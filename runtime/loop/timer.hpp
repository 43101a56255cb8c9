// SPDX-License-Identifier: MIT
// A timer queue for thousands of deadlines: one FIFO list per timeout value, since deadlines of equal length expire in
// the order they were set (except start_coarse() timers, which can be off by one tick of the system clock). Starting
// and cancelling a timer takes a few nanoseconds, and allocates nothing once its length has been used. The loop drives
// the whole queue with one libuv timer.
#pragma once

#include <deque>

#include "../detail/list.hpp"
#include "clock.hpp"

namespace hawser {

class timer_queue;

/// Embedded in the object that waits. `on_expired` runs on the loop thread, at most once per start, and must not resume
/// a coroutine.
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
  /// Calls on_expired for every timer that is due; returns their number.
  std::size_t expire(time_point now) noexcept;
  /// When to call expire() next; time_point::max() means never. It may be too early after a cancellation, but never too
  /// late.
  [[nodiscard]] time_point next() const noexcept { return next_; }
  [[nodiscard]] bool empty() const noexcept;

 private:
  struct bucket {
    explicit bucket(duration length) : after(length) {}
    duration after;
    detail::list<timer, timer> waiting;
  };
  bucket& bucket_for(duration after);

  time_point next_ = time_point::max();
  bucket* last_used_ = nullptr;
  std::deque<bucket> buckets_;  // a deque, because the head of an intrusive list must not move
};

}  // namespace hawser

// SPDX-License-Identifier: MIT
// Sleeping for a duration, and yielding to other ready work.
#pragma once

#include "operation.hpp"

namespace hawser {

class sleep_operation final : public operation, private timer {
 public:
  explicit sleep_operation(duration length) : length_(length) {}
  result<void> await_resume() const {
    if (cancelled()) return cancelled_error();
    return {};
  }

 private:
  void start() override { event_loop().start(*this, length_); }
  void cancel() noexcept override {
    timer::cancel();
    complete();
  }
  void on_expired() noexcept override { complete(); }

  duration length_;
};

/// `co_await sleep_for(2s)`: fails only if a stop comes first.
[[nodiscard]] inline sleep_operation sleep_for(duration length) { return sleep_operation{length}; }

/// Not an operation: there is nothing to cancel, and a stopped coroutine must yield, too.
class yield_operation final : private work {
 public:
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
    requires std::derived_from<Promise, promise_base>
  void await_suspend(std::coroutine_handle<Promise> waiting) noexcept {
    set_coroutine(waiting);
    waiting.promise().task_context.loop->ready(*this);
  }
  void await_resume() const noexcept {}
};

/// Runs everything that is ready now before the caller resumes, even after a stop.
[[nodiscard]] inline yield_operation yield() { return {}; }

}  // namespace hawser

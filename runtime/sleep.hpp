// SPDX-License-Identifier: MIT
// Waiting for time to pass.
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
  void start() override { home().start(*this, length_); }
  void cancel() noexcept override {
    timer::cancel();
    complete();
  }
  void on_expired() noexcept override { complete(); }

  duration length_;
};

/// `co_await sleep_for(2s)`: an error only if a stop came first.
[[nodiscard]] inline sleep_operation sleep_for(duration length) { return sleep_operation{length}; }

/// Not an operation: it waits for nothing that could be cancelled, and who is stopped must let others go first, too.
class yield_operation final : private work {
 public:
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
    requires std::derived_from<Promise, promise_base>
  void await_suspend(std::coroutine_handle<Promise> waiting) noexcept {
    resumes(waiting);
    waiting.promise().where.loop->ready(*this);
  }
  void await_resume() const noexcept {}
};

/// Lets everything that is ready now go first, under a stop as well.
[[nodiscard]] inline yield_operation yield() { return {}; }

}  // namespace hawser

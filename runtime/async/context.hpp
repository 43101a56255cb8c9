// SPDX-License-Identifier: MIT
// The loop a coroutine runs on and the source that stops it. Both are inherited down the await chain, so cancellation
// propagates implicitly. The pointers stay valid because a parent outlives what it awaits.
#pragma once

#include <concepts>
#include <coroutine>

#include "stop.hpp"

namespace hawser {

class loop;

struct context {
  hawser::loop* loop = nullptr;
  stop_source* stop = nullptr;

  [[nodiscard]] bool stop_requested() const noexcept { return stop != nullptr && stop->stop_requested(); }
  /// Also true for a stop requested on another thread that has not been delivered yet.
  [[nodiscard]] bool stop_requested_anywhere() const noexcept {
    return stop != nullptr && stop->stop_requested_anywhere();
  }
};

/// Notified when a task that is not awaited ends; implemented by scopes, `when_all` and `loop::run`. on_completed()
/// runs inside the task's final suspension, so it must not destroy the frame. It returns the coroutine to resume next.
class completion_handler {
 public:
  virtual std::coroutine_handle<> on_completed() noexcept = 0;

 protected:
  ~completion_handler() = default;
};

/// The base class of every promise type of this library. Awaiters accept no other promise.
class promise_base {
 public:
  context task_context;
  std::coroutine_handle<> continuation;
  completion_handler* on_completion = nullptr;

  [[nodiscard]] std::coroutine_handle<> finish() const noexcept {
    return on_completion != nullptr ? on_completion->on_completed() : continuation;
  }
};

/// `co_await this_context()` returns the coroutine's own context without suspending it.
class this_context {
 public:
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
    requires std::derived_from<Promise, promise_base>
  bool await_suspend(std::coroutine_handle<Promise> self) noexcept {
    context_ = self.promise().task_context;
    return false;
  }
  [[nodiscard]] context await_resume() const noexcept { return context_; }

 private:
  context context_;
};

}  // namespace hawser

// SPDX-License-Identifier: MIT
// Where a coroutine runs and what stops it. Both pointers are inherited down the await chain, so nobody can forget to
// pass them; they stay valid because a parent outlives what it awaits.
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
  /// Also by another thread, whose message has not arrived yet.
  [[nodiscard]] bool stop_requested_anywhere() const noexcept {
    return stop != nullptr && stop->stop_requested_anywhere();
  }
};

/// Told of the end of a task that nobody awaits: scopes, `when_all` and `loop::run` stand behind it. Runs inside the
/// task's final suspension, so it must not destroy the frame; it returns what to resume next.
class completion {
 public:
  virtual std::coroutine_handle<> completed() noexcept = 0;

 protected:
  ~completion() = default;
};

/// What the promise of every coroutine of the house derives from; awaiters accept no other.
class promise_base {
 public:
  context where;
  std::coroutine_handle<> continuation;
  completion* when_done = nullptr;

  [[nodiscard]] std::coroutine_handle<> finish() const noexcept {
    return when_done != nullptr ? when_done->completed() : continuation;
  }
};

/// `co_await this_context()` gives the coroutine its own context without suspending it.
class this_context {
 public:
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
    requires std::derived_from<Promise, promise_base>
  bool await_suspend(std::coroutine_handle<Promise> self) noexcept {
    where_ = self.promise().where;
    return false;
  }
  [[nodiscard]] context await_resume() const noexcept { return where_; }

 private:
  context where_;
};

}  // namespace hawser

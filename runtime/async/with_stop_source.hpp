// SPDX-License-Identifier: MIT
// Awaits a task under another stop source than the awaiting coroutine's own, such as that of one request.
#pragma once

#include <utility>

#include "task.hpp"

namespace hawser {

/// `co_await with_stop_source{answer.stop(), handle(…)}`; the source must outlive the await.
template <class T>
class with_stop_source {
 public:
  with_stop_source(stop_source& stop, task<T> inner) noexcept : stop_(stop), inner_(std::move(inner)) {}

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
    requires std::derived_from<Promise, promise_base>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> waiting) noexcept {
    return inner_.start(context{waiting.promise().task_context.loop, &stop_}, waiting);
  }
  T await_resume() { return inner_.take(); }

 private:
  stop_source& stop_;
  task<T> inner_;
};

}  // namespace hawser

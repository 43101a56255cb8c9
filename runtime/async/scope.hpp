// SPDX-License-Identifier: MIT
// The only way to run tasks concurrently. A scope owns the tasks spawned into it and must be joined before it is
// destroyed. There is no detach.
#pragma once

#include <cstddef>
#include <exception>
#include <type_traits>

#include "../loop/loop.hpp"

namespace hawser {

class scope {
 public:
  /// Inherits the loop and the stop source: `scope s{co_await this_context()};`
  explicit scope(context parent) noexcept : loop_(*parent.loop), stop_(parent.stop) {}
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;
  ~scope() { detail::require(task_count_ == 0, "a scope died before its tasks were joined"); }

  /// The task starts when the ready queue reaches it. It handles its own errors: an exception that escapes it
  /// terminates the process.
  void spawn(task<void> child);
  void request_stop() noexcept { stop_.request_stop(); }
  [[nodiscard]] bool stop_requested() const noexcept { return stop_.stop_requested(); }
  [[nodiscard]] std::size_t task_count() const noexcept { return task_count_; }
  /// The context that tasks spawned here run in.
  [[nodiscard]] context child_context() noexcept { return context{&loop_, &stop_}; }

  class join_operation final : private work {
   public:
    explicit join_operation(scope& s) : scope_(s) {}
    [[nodiscard]] bool await_ready() const noexcept { return scope_.task_count_ == 0; }
    template <class Promise>
      requires std::derived_from<Promise, promise_base>
    void await_suspend(std::coroutine_handle<Promise> waiting) noexcept {
      detail::require(scope_.joiner_ == nullptr, "a scope was joined by two at once");
      waiting_ = waiting;
      scope_.joiner_ = this;
    }
    void await_resume() const noexcept {}

   private:
    friend class scope;
    void run() noexcept override {
      // A task may have been spawned after the last one ended and before this item ran.
      if (scope_.task_count_ > 0) {
        detail::require(scope_.joiner_ == nullptr, "a scope was joined by two at once");
        scope_.joiner_ = this;
      } else {
        waiting_.resume();
      }
    }
    scope& scope_;
    std::coroutine_handle<> waiting_;
  };

  /// Waits until every task has ended. A stop reaches the tasks, not this wait: join always completes. Unbounded: only
  /// the tasks themselves limit it.
  [[nodiscard]] join_operation join() noexcept { return join_operation{*this}; }

 private:
  class spawned_task;
  void ended() noexcept;

  loop& loop_;
  stop_source stop_;
  std::size_t task_count_ = 0;
  join_operation* joiner_ = nullptr;
};

/// Runs `body(scope, args…)`. On every exit path, stops and joins the tasks it spawned.
template <class F, class... Args>
auto with_scope(F body, Args... args) -> std::invoke_result_t<F&, scope&, Args...> {
  using value = typename std::invoke_result_t<F&, scope&, Args...>::value_type;
  scope s{co_await this_context()};
  std::exception_ptr thrown;
  if constexpr (std::is_void_v<value>) {
    try {
      co_await body(s, std::move(args)...);
    } catch (...) {
      thrown = std::current_exception();
    }
    s.request_stop();
    co_await s.join();
    if (thrown) std::rethrow_exception(thrown);
  } else {
    std::optional<value> outcome;
    try {
      outcome.emplace(co_await body(s, std::move(args)...));
    } catch (...) {
      thrown = std::current_exception();
    }
    s.request_stop();
    co_await s.join();
    if (thrown) std::rethrow_exception(thrown);
    co_return std::move(*outcome);
  }
}

}  // namespace hawser

// SPDX-License-Identifier: MIT
// `task<T>`: a lazy coroutine that is awaited exactly once, by another task, a scope or `loop::run`. It does not run
// before it is awaited, and it cannot be detached.
#pragma once

#if defined(__clang__) ? !defined(__apple_build_version__) && __clang_major__ < 19 : defined(__GNUC__) && __GNUC__ < 14
#error "Hawser needs clang >= 19 or g++ >= 14: older ones miscompile coroutines"
#endif  // Apple's clang uses a different version numbering

#include <exception>
#include <optional>
#include <utility>

#include "../detail/check.hpp"
#include "context.hpp"

namespace hawser {

template <class T = void>
class task;

namespace detail {

// Final suspension transfers control directly to the parent (symmetric transfer), so a chain of a million awaits does
// not grow the stack.
class final_awaiter {
 public:
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> self) const noexcept {
    return self.promise().finish();
  }
  void await_resume() const noexcept {}
};

template <class T>
class task_promise_base : public promise_base {
 public:
  [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
  [[nodiscard]] final_awaiter final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { thrown_ = std::current_exception(); }

 protected:
  // An exception is a bug. It propagates up to loop::run and is never swallowed.
  void rethrow() const {
    if (thrown_) [[unlikely]]
      std::rethrow_exception(thrown_);
  }

 private:
  std::exception_ptr thrown_;
};

template <class T>
class task_promise final : public task_promise_base<T> {
 public:
  task<T> get_return_object() noexcept;
  template <class U = T>
    requires std::constructible_from<T, U&&>
  void return_value(U&& value) {
    value_.emplace(std::forward<U>(value));
  }
  T take() {
    this->rethrow();
    return std::move(*value_);
  }

 private:
  std::optional<T> value_;
};

template <>
class task_promise<void> final : public task_promise_base<void> {
 public:
  task<void> get_return_object() noexcept;
  void return_void() const noexcept {}
  void take() const { rethrow(); }
};

}  // namespace detail

template <class T>
class [[nodiscard]] task {
 public:
  using promise_type = detail::task_promise<T>;
  using value_type = T;

  task(task&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  task& operator=(task&& other) noexcept {
    task old{std::move(other)};
    std::swap(frame_, old.frame_);
    return *this;
  }
  ~task() {
    if (!frame_) return;
    detail::require(!started_running() || frame_.done(), "a task was destroyed while it was suspended in the middle");
    frame_.destroy();
  }

  class awaiter {
   public:
    explicit awaiter(std::coroutine_handle<promise_type> child) noexcept : child_(child) {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
      requires std::derived_from<Promise, promise_base>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> parent) noexcept {
      child_.promise().task_context = parent.promise().task_context;
      child_.promise().continuation = parent;
      return child_;
    }
    T await_resume() { return child_.promise().take(); }

   private:
    std::coroutine_handle<promise_type> child_;
  };

  awaiter operator co_await() && noexcept {
    detail::require(frame_ && !started_running(), "a task was awaited that had been moved away or begun before");
    return awaiter{frame_};
  }

  /// For scopes and similar owners: prepares the task to run outside an await. `on_completion` is called when the task
  /// ends. The caller resumes the returned handle exactly once.
  std::coroutine_handle<> start(context where, completion_handler& on_completion) noexcept {
    frame_.promise().task_context = where;
    frame_.promise().on_completion = &on_completion;
    return frame_;
  }
  /// For awaiters that run a task under a different stop source: they return the handle from await_suspend.
  std::coroutine_handle<> start(context where, std::coroutine_handle<> continuation) noexcept {
    frame_.promise().task_context = where;
    frame_.promise().continuation = continuation;
    return frame_;
  }
  /// The value of a task that has ended. Rethrows the task's exception.
  T take() { return frame_.promise().take(); }

 private:
  friend promise_type;
  explicit task(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}

  [[nodiscard]] bool started_running() const noexcept { return frame_.promise().task_context.loop != nullptr; }

  std::coroutine_handle<promise_type> frame_;
};

namespace detail {

template <class T>
task<T> task_promise<T>::get_return_object() noexcept {
  return task<T>{std::coroutine_handle<task_promise>::from_promise(*this)};
}
inline task<void> task_promise<void>::get_return_object() noexcept {
  return task<void>{std::coroutine_handle<task_promise>::from_promise(*this)};
}

}  // namespace detail

}  // namespace hawser

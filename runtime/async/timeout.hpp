// SPDX-License-Identifier: MIT
// Awaits a task under a different stop source: `with_timeout`, `shield`, `with_stop`. The state lives in the awaiting
// frame; a deadline needs no allocation.
#pragma once

#include <optional>
#include <string>

#include "../error.hpp"
#include "stop_bridge.hpp"

namespace hawser {

namespace detail {

std::string timeout_text(duration bound);

template <class T>
class child_stop_operation final : private timer {
 public:
  enum class parent : bool { ignored, followed };

  child_stop_operation(task<result<T>> inner, parent rule, std::optional<duration> bound, std::stop_token outside = {})
      : inner_(std::move(inner)), rule_(rule), bound_(bound), external_token_(std::move(outside)) {}

  [[nodiscard]] bool await_ready() const noexcept { return false; }

  template <class Promise>
    requires std::derived_from<Promise, promise_base>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> waiting) {
    const context where = waiting.promise().task_context;
    if (rule_ == parent::followed) stop_.follow(where.stop);
    if (bound_) where.loop->start(*this, *bound_);
    if (external_token_.stop_requested()) {
      stop_.request_stop();  // immediately: the bridge would deliver it after the task has started
    } else if (external_token_.stop_possible()) {
      stop_.watch(external_token_);
      bridge_.emplace(*where.loop, external_token_, stop_);
    }
    return inner_.start(context{where.loop, &stop_}, waiting);
  }

  /// A value that the task had received before the deadline is returned. Only a task that ended with errc::cancelled
  /// becomes errc::timed_out.
  result<T> await_resume() {
    timer::cancel();
    bridge_.reset();
    result<T> outcome = inner_.take();
    if (expired_first_ && outcome.has_error() && outcome.error().code == errc::cancelled) {
      // The cancelled operation knows whether the request may have been executed.
      return error{.code = errc::timed_out, .what = timeout_text(*bound_), .executed = outcome.error().executed};
    }
    return outcome;
  }

 private:
  void on_expired() noexcept override {
    expired_first_ = !stop_.stop_requested();
    stop_.request_stop();
  }

  task<result<T>> inner_;
  parent rule_;
  std::optional<duration> bound_;
  std::stop_token external_token_;
  stop_source stop_;
  std::optional<stop_bridge> bridge_;
  bool expired_first_ = false;
};

}  // namespace detail

/// Stops the task after `bound`, waits for it to end, and returns errc::timed_out.
template <class T>
[[nodiscard]] detail::child_stop_operation<T> with_timeout(duration bound, task<result<T>> inner) {
  return {std::move(inner), detail::child_stop_operation<T>::parent::followed, bound};
}

/// For cleanup that must await: the caller's stop does not reach it, but `bound` limits it.
template <class T>
[[nodiscard]] detail::child_stop_operation<T> shield(duration bound, task<result<T>> inner) {
  return {std::move(inner), detail::child_stop_operation<T>::parent::ignored, bound};
}

/// Also stops the task when `outside`, a token of any thread, is stopped.
template <class T>
[[nodiscard]] detail::child_stop_operation<T> with_stop(std::stop_token outside, task<result<T>> inner) {
  return {std::move(inner), detail::child_stop_operation<T>::parent::followed, std::nullopt, std::move(outside)};
}

}  // namespace hawser

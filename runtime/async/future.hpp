// SPDX-License-Identifier: MIT
// A cancellable future for the outcome of a call that runs on the loop thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "../detail/check.hpp"
#include "../error.hpp"

namespace hawser {

namespace detail {

/// The thread on which a host's loop runs; none before start and after the end. Kept alive by its users.
struct loop_thread {
  std::atomic<std::thread::id> id;
  [[nodiscard]] bool is_current() const noexcept { return id.load() == std::this_thread::get_id(); }
};

inline error outcome_already_taken() {
  return error{
      .code = errc::closed, .what = "the outcome of this call was taken already", .executed = execution::unknown};
}

template <class T>
class future_state {
 public:
  future_state() = default;
  /// `by` is the thread that produces the outcome, and so must not wait for it.
  explicit future_state(std::shared_ptr<const loop_thread> by) : by_(std::move(by)) {}
  /// Calls `done` with the outcome; there is no handle.
  explicit future_state(std::function<void(result<T>)> done) : done_(std::move(done)) {}

  void finish(result<T> outcome) {
    if (done_) return done_(std::move(outcome));
    {
      const std::lock_guard lock{mutex_};
      outcome_.emplace(std::move(outcome));
    }
    finished_.notify_all();
  }

  [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }
  void cancel() { stop_.request_stop(); }
  bool wait_for(std::chrono::nanoseconds bound) {
    std::unique_lock lock{mutex_};
    if (outcome_ || bound <= std::chrono::nanoseconds::zero()) return outcome_.has_value();
    require_another_thread();
    // wait_for overflows beyond about 290 years.
    constexpr std::chrono::nanoseconds longest = std::chrono::hours{24 * 365 * 100};
    return finished_.wait_for(lock, std::min(bound, longest), [&] { return outcome_.has_value(); });
  }
  result<T> take() {
    std::unique_lock lock{mutex_};
    if (!outcome_) require_another_thread();
    finished_.wait(lock, [&] { return outcome_.has_value(); });
    if (std::exchange(taken_, true)) return outcome_already_taken();
    return std::move(*outcome_);
  }

 private:
  void require_another_thread() const noexcept {
    require(by_ == nullptr || !by_->is_current(), "a call of a host was waited for on its own loop thread");
  }

  std::shared_ptr<const loop_thread> by_;
  std::function<void(result<T>)> done_;
  std::mutex mutex_;
  std::condition_variable finished_;
  std::optional<result<T>> outcome_;
  bool taken_ = false;  // outcome_ was moved out
  std::stop_source stop_;
};

/// The producer's side. If destroyed unfulfilled, the outcome is an error: the host is not running.
template <class T>
class promise {
 public:
  explicit promise(std::shared_ptr<future_state<T>> to) noexcept : to_(std::move(to)) {}
  promise(promise&&) noexcept = default;
  promise& operator=(promise&&) = delete;
  ~promise() {
    if (to_) to_->finish(error{.code = errc::closed, .what = "the host is not running"});
  }
  void finish(result<T> outcome) { std::exchange(to_, nullptr)->finish(std::move(outcome)); }
  [[nodiscard]] std::stop_token token() const { return to_->token(); }

 private:
  std::shared_ptr<future_state<T>> to_;
};

}  // namespace detail

/// One thread's handle. Dropping it drops the outcome; the call continues. A moved-from handle has no outcome: get()
/// returns an error, and the other functions do nothing.
template <class T>
class future {
 public:
  explicit future(std::shared_ptr<detail::future_state<T>> of) noexcept : of_(std::move(of)) {}

  /// Waits for the outcome and returns it, once; a second call returns errc::closed. Waiting on the loop thread, where
  /// completions and on_change run, would deadlock and terminates the process with a message. In a process forked
  /// meanwhile the call never completes and the wait never ends.
  result<T> get() {
    if (!of_) return detail::outcome_already_taken();
    return of_->take();
  }
  /// Whether get() would return at once; waits up to `bound` for that. Must not wait on the loop thread either.
  bool wait_for(std::chrono::nanoseconds bound) { return !of_ || of_->wait_for(bound); }
  /// The call ends soon, with errc::cancelled if it has no answer yet. If any of the request was sent, the server gets
  /// a cancellation; otherwise nothing is sent, and the error says `executed: no`.
  void cancel() {
    if (of_) of_->cancel();
  }

 private:
  std::shared_ptr<detail::future_state<T>> of_;
};

}  // namespace hawser

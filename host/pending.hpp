// SPDX-License-Identifier: MIT
// What another thread holds while the loop works for it: like a future, and it can be cancelled.
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

#include "../runtime/detail/check.hpp"
#include "../runtime/error.hpp"

namespace hawser {

namespace detail {

/// Which thread the loop of a host runs on; none before its start and after its end. Lives as long as anybody asks.
struct loop_thread {
  std::atomic<std::thread::id> id;
  [[nodiscard]] bool is_current() const noexcept { return id.load() == std::this_thread::get_id(); }
};

inline error outcome_is_taken() {
  return error{
      .code = errc::closed, .what = "the outcome of this call was taken already", .executed = execution::unknown};
}

template <class T>
class promised {
 public:
  promised() = default;
  /// Its outcome comes from that thread, which therefore cannot wait for it.
  explicit promised(std::shared_ptr<const loop_thread> by) : by_(std::move(by)) {}
  /// `done`, instead of a handle, hears of the outcome.
  explicit promised(std::function<void(result<T>)> done) : done_(std::move(done)) {}

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
    // The clock of the wait cannot count further than some 290 years from its beginning.
    constexpr std::chrono::nanoseconds longest = std::chrono::hours{24 * 365 * 100};
    return finished_.wait_for(lock, std::min(bound, longest), [&] { return outcome_.has_value(); });
  }
  result<T> take() {
    std::unique_lock lock{mutex_};
    if (!outcome_) require_another_thread();
    finished_.wait(lock, [&] { return outcome_.has_value(); });
    if (std::exchange(taken_, true)) return outcome_is_taken();
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
  bool taken_ = false;  // of the outcome, only an empty shell is left
  std::stop_source stop_;
};

/// The loop's side of it: whoever drops it unanswered says that the host is not running.
template <class T>
class promise {
 public:
  explicit promise(std::shared_ptr<promised<T>> to) noexcept : to_(std::move(to)) {}
  promise(promise&&) noexcept = default;
  promise& operator=(promise&&) = delete;
  ~promise() {
    if (to_) to_->finish(error{.code = errc::closed, .what = "the host is not running"});
  }
  void finish(result<T> outcome) { std::exchange(to_, nullptr)->finish(std::move(outcome)); }
  [[nodiscard]] std::stop_token token() const { return to_->token(); }

 private:
  std::shared_ptr<promised<T>> to_;
};

}  // namespace detail

/// One thread's handle. Dropping it drops the answer, not the call. One that was moved from has no outcome: get() says
/// so, and the rest does nothing.
template <class T>
class pending {
 public:
  explicit pending(std::shared_ptr<detail::promised<T>> of) noexcept : of_(std::move(of)) {}

  /// Waits, and hands the outcome over, once; a second time, the error is errc::closed. To wait on the loop thread,
  /// where completions and on_change run, would be to wait for ever: it ends the process with a sentence. In a process
  /// that was forked meanwhile, nobody works on the call any more, and waiting does not end.
  result<T> get() {
    if (!of_) return detail::outcome_is_taken();
    return of_->take();
  }
  /// Whether get() would return at once; waits for that at most so long, and not on the loop thread either.
  bool wait_for(std::chrono::nanoseconds bound) { return !of_ || of_->wait_for(bound); }
  /// The call ends soon, with errc::cancelled if it had no answer yet. Its server is told if any of it was sent; else
  /// nothing of it will be, and the error says `executed: no`.
  void cancel() {
    if (of_) of_->cancel();
  }

 private:
  std::shared_ptr<detail::promised<T>> of_;
};

}  // namespace hawser

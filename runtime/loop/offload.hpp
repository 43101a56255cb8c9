// SPDX-License-Identifier: MIT
// Runs a blocking function on libuv's thread pool. The pool is small and shared with the whole program: keep jobs
// short, and never let one job wait for another.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>

#include "../async/operation.hpp"

namespace hawser {

namespace detail {

/// A job is heap-allocated and not part of the awaiting frame: libuv cannot cancel a job that is running, and a stop
/// must not wait for a slow disk.
class pool_job {
 public:
  virtual ~pool_job() = default;
  /// On a pool thread.
  virtual void work() noexcept = 0;
  /// Runs on the loop thread after work(), or instead of it. Not called after give_up().
  std::function<void()> done;

  /// The pool keeps the job alive until it has run.
  static void submit(loop& event_loop, const std::shared_ptr<pool_job>& job);
  /// The waiting coroutine is gone. A job that has not started is cancelled; the result of a running job is discarded.
  void give_up() noexcept;

 private:
  struct request;
  request* request_ = nullptr;
};

}  // namespace detail

template <class T>
class offload_operation final : public operation {
 public:
  explicit offload_operation(std::function<result<T>()> f) : job_(std::make_shared<job>(std::move(f))) {}

  result<T> await_resume() {
    if (!job_ || (!job_->value && !job_->thrown)) return cancelled_error();
    if (job_->thrown) std::rethrow_exception(job_->thrown);
    return std::move(*job_->value);
  }

 private:
  struct job final : detail::pool_job {
    explicit job(std::function<result<T>()> f) : function(std::move(f)) {}
    void work() noexcept override {
      try {
        value.emplace(function());
      } catch (...) {
        thrown = std::current_exception();
      }
    }
    std::function<result<T>()> function;
    std::optional<result<T>> value;
    std::exception_ptr thrown;
  };

  void start() override {
    job_->done = [this] { complete(); };
    detail::pool_job::submit(event_loop(), job_);
  }
  void cancel() noexcept override {
    job_->give_up();
    job_.reset();  // the pool thread may still be writing its value
    complete();
  }

  std::shared_ptr<job> job_;
};

/// `co_await offload<int>(f)`: f returns a result<int>. It runs on the pool, so it must own copies of what it needs and
/// hold no references. A stop ends the wait immediately; f, once started, runs to its end.
template <class T>
[[nodiscard]] offload_operation<T> offload(std::function<result<T>()> f) {
  return offload_operation<T>{std::move(f)};
}

}  // namespace hawser

// SPDX-License-Identifier: MIT
// Running a function that may block on libuv's thread pool. The pool is small and shared with the whole program: keep
// jobs short, and never let one wait for another.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>

#include "operation.hpp"

namespace hawser {

namespace detail {

/// A job belongs to the heap, not to the frame that waits for it: libuv cannot take a running one back, and a stop
/// must not wait for a slow disk.
class pool_job {
 public:
  virtual ~pool_job() = default;
  /// On a pool thread.
  virtual void work() noexcept = 0;
  /// On the loop thread, after work() or instead of it. Not called for a job that was given up.
  std::function<void()> done;

  /// The pool keeps the job alive until it has run.
  static void submit(loop& home, const std::shared_ptr<pool_job>& job);
  /// Whoever waited is gone: a job that has not begun never will, one that runs ends unheard.
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
    detail::pool_job::submit(home(), job_);
  }
  void cancel() noexcept override {
    job_->give_up();
    job_.reset();  // it may still be writing its value
    complete();
  }

  std::shared_ptr<job> job_;
};

/// `co_await offload<int>(f)`: f returns a result<int>; it runs on the pool, with copies of what it needs and nothing
/// by reference. A stop ends the wait at once; f, if it has begun, ends in its own time.
template <class T>
[[nodiscard]] offload_operation<T> offload(std::function<result<T>()> f) {
  return offload_operation<T>{std::move(f)};
}

}  // namespace hawser

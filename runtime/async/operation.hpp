// SPDX-License-Identifier: MIT
// The base class of every leaf operation that suspends. It completes exactly once, by its event or by a stop, and
// resumes its coroutine from the ready queue, never on the stack of the notifier.
#pragma once

#include "../error.hpp"
#include "../loop/loop.hpp"

namespace hawser {

class operation : private work, private stop_callback {
 public:
  operation(const operation&) = delete;
  operation& operator=(const operation&) = delete;

  [[nodiscard]] bool await_ready() const noexcept { return false; }

  template <class Promise>
    requires std::derived_from<Promise, promise_base>
  bool await_suspend(std::coroutine_handle<Promise> waiting) {
    context_ = waiting.promise().task_context;
    if (context_.stop_requested()) {
      cancelled_ = true;
      return false;
    }
    set_coroutine(waiting);
    pending_ = true;
    if (context_.stop != nullptr) context_.stop->link(*this);
    start();
    return true;
  }

 protected:
  operation() = default;
  ~operation() { detail::require(!pending_, "a coroutine was destroyed while an operation of it was under way"); }

  /// Starts the operation; may call complete() at once. Not called if a stop came first.
  virtual void start() = 0;
  /// Starts the cancellation. An operation that can end immediately calls complete() here. If libuv still owns a
  /// request, complete() is called from the request's callback.
  virtual void cancel() noexcept = 0;

  /// Records the event. A later stop has no effect: the received value is delivered.
  void complete() noexcept {
    unlink();
    pending_ = false;
    context_.loop->ready(*this);
  }

  [[nodiscard]] bool cancelled() const noexcept { return cancelled_; }
  /// For start(), before an irreversible step: whether another thread has requested a stop that is not delivered yet.
  [[nodiscard]] bool stop_requested_anywhere() const noexcept { return context_.stop_requested_anywhere(); }
  [[nodiscard]] loop& event_loop() const noexcept { return *context_.loop; }

 private:
  void on_stop() noexcept final {
    detail::require(context_.loop->on_loop_thread(), "a stop was requested on another thread than the loop's; post it");
    cancelled_ = true;
    cancel();
  }

  context context_;
  bool pending_ = false;
  bool cancelled_ = false;
};

}  // namespace hawser

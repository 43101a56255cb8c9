// SPDX-License-Identifier: MIT
// The base of everything that really waits: it completes exactly once, by its event or by a stop, and resumes its
// coroutine from the ready queue, never from the notifier's stack.
#pragma once

#include "error.hpp"
#include "loop.hpp"

namespace hawser {

class operation : private work, private stop_callback {
 public:
  operation(const operation&) = delete;
  operation& operator=(const operation&) = delete;

  [[nodiscard]] bool await_ready() const noexcept { return false; }

  template <class Promise>
    requires std::derived_from<Promise, promise_base>
  bool await_suspend(std::coroutine_handle<Promise> waiting) {
    where_ = waiting.promise().where;
    if (where_.stop_requested()) {
      cancelled_ = true;
      return false;
    }
    resumes(waiting);
    pending_ = true;
    if (where_.stop != nullptr) where_.stop->link(*this);
    start();
    return true;
  }

 protected:
  operation() = default;
  ~operation() { detail::require(!pending_, "a coroutine was destroyed while an operation of it was under way"); }

  /// Begins the work; may complete() at once. Not called when a stop came first.
  virtual void start() = 0;
  /// Begins the cancellation. Whoever can end at once calls complete(); who cannot (libuv still owns a request) does
  /// so in its callback.
  virtual void cancel() noexcept = 0;

  /// The event has happened, and a stop that comes later changes nothing: what was received is handed over.
  void complete() noexcept {
    unlink();
    pending_ = false;
    where_.loop->ready(*this);
  }

  [[nodiscard]] bool cancelled() const noexcept { return cancelled_; }
  /// In start(), before what cannot be undone: whether a stop of another thread is on its way.
  [[nodiscard]] bool stop_is_coming() const noexcept { return where_.stop_requested_anywhere(); }
  [[nodiscard]] loop& home() const noexcept { return *where_.loop; }

 private:
  void on_stop() noexcept final {
    detail::require(where_.loop->on_loop_thread(), "a stop was requested on another thread than the loop's; post it");
    cancelled_ = true;
    cancel();
  }

  context where_;
  bool pending_ = false;
  bool cancelled_ = false;
};

}  // namespace hawser

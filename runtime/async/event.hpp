// SPDX-License-Identifier: MIT
// An event that any number of coroutines can wait for. It stays set until reset().
#pragma once

#include "operation.hpp"

namespace hawser {

class event {
 public:
  event() = default;
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  ~event() { detail::require(waiting_.empty(), "an event died while somebody waited for it"); }

  void set() noexcept {
    set_ = true;
    while (!waiting_.empty()) waiting_.pop_front().happened();
  }
  void reset() noexcept { set_ = false; }
  [[nodiscard]] bool is_set() const noexcept { return set_; }

  class wait_operation final : public operation, private detail::list_node<wait_operation> {
   public:
    explicit wait_operation(event& e) : event_(e) {}
    [[nodiscard]] bool await_ready() const noexcept { return event_.set_; }
    result<void> await_resume() const {
      if (cancelled()) return cancelled_error();
      return {};
    }

   private:
    friend class event;
    friend class detail::list<wait_operation, wait_operation>;
    void start() override { event_.waiting_.push_back(*this); }
    void cancel() noexcept override {
      detail::list_node<wait_operation>::unlink();
      complete();
    }
    void happened() noexcept { complete(); }
    event& event_;
  };

  /// Completes immediately if the event is set, even after a stop. Otherwise it fails only if a stop comes first.
  /// Unbounded: use with_timeout.
  [[nodiscard]] wait_operation wait() noexcept { return wait_operation{*this}; }

 private:
  detail::list<wait_operation, wait_operation> waiting_;
  bool set_ = false;
};

}  // namespace hawser

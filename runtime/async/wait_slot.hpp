// SPDX-License-Identifier: MIT
// A slot for at most one waiting coroutine, such as the reader of a stream or the acceptor of a listener.
#pragma once

#include <utility>

#include "operation.hpp"

namespace hawser {

class slot_operation;

class wait_slot {
 public:
  wait_slot() = default;
  wait_slot(const wait_slot&) = delete;
  wait_slot& operator=(const wait_slot&) = delete;
  ~wait_slot() { detail::require(!in_use(), "something died while a coroutine waited on it"); }

  [[nodiscard]] bool has_waiter() const noexcept { return waiter_ != nullptr; }
  /// Whether a coroutine waits, or was woken and has not resumed yet. It will still access the object that owns the
  /// slot.
  [[nodiscard]] bool in_use() const noexcept { return users_ != 0; }
  /// Makes the waiting coroutine ready, if there is one.
  inline void wake() noexcept;

 private:
  friend class slot_operation;
  slot_operation* waiter_ = nullptr;
  unsigned users_ = 0;
};

/// The base class of awaitables that wait on a slot. Derived classes add await_ready and await_resume.
class slot_operation : public operation {
 protected:
  explicit slot_operation(wait_slot& slot) noexcept : slot_(slot) {}
  ~slot_operation() {
    if (started_) --slot_.users_;
  }

  void start() override {
    detail::require(slot_.waiter_ == nullptr, "two coroutines wait where only one may");
    slot_.waiter_ = this;
    started_ = true;
    ++slot_.users_;
  }

 private:
  friend class wait_slot;
  void cancel() noexcept final {
    slot_.waiter_ = nullptr;
    complete();
  }
  void wake() noexcept { complete(); }
  wait_slot& slot_;
  bool started_ = false;
};

inline void wait_slot::wake() noexcept {
  if (waiter_ != nullptr) std::exchange(waiter_, nullptr)->wake();
}

}  // namespace hawser

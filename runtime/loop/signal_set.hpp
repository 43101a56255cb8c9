// SPDX-License-Identifier: MIT
// Awaitable Unix signals. For programs only: the library itself never changes a signal disposition.
#pragma once

#include <initializer_list>
#include <memory>

#include "../async/wait_slot.hpp"

namespace hawser {

namespace detail {
struct signal_core;
struct signal_deleter {
  void operator()(signal_core* core) const noexcept;
};
}  // namespace detail

class signal_set {
 public:
  /// Catches these signals for as long as the object lives.
  static result<signal_set> start(loop& event_loop, std::initializer_list<int> numbers);

  class next_operation final : public slot_operation {
   public:
    explicit next_operation(detail::signal_core& core) noexcept;
    [[nodiscard]] bool await_ready() const noexcept;
    result<int> await_resume();

   private:
    detail::signal_core& core_;
  };

  /// Waits for the next signal and returns its number. A signal that arrives while no coroutine waits is kept. One
  /// waiter at a time. Unbounded.
  [[nodiscard]] next_operation next() { return next_operation{*core_}; }

 private:
  explicit signal_set(detail::signal_core* core) noexcept : core_(core) {}
  std::unique_ptr<detail::signal_core, detail::signal_deleter> core_;
};

}  // namespace hawser

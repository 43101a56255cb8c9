// SPDX-License-Identifier: MIT
// The common part of when_all and when_any: starting a group of tasks and counting how many have ended.
#pragma once

#include <limits>
#include <type_traits>
#include <variant>

#include "../../loop/loop.hpp"

namespace hawser::detail {

template <class T>
using value_or_monostate = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

template <class T>
value_or_monostate<T> take_value(task<T>& ended) {
  if constexpr (std::is_void_v<T>) {
    ended.take();
    return {};
  } else {
    return ended.take();
  }
}

/// Counts the tasks that have ended and records which was first.
class join_group {
 public:
  static constexpr std::size_t no_task = std::numeric_limits<std::size_t>::max();

  /// One per task; must not move while the tasks run.
  class entry final : public completion_handler {
   public:
    std::coroutine_handle<> on_completed() noexcept override { return group->ended(index); }
    join_group* group = nullptr;
    std::size_t index = 0;
  };

  void begin(std::coroutine_handle<> waiting, stop_source* stop_when_first_ends) noexcept {
    waiting_ = waiting;
    stop_when_first_ends_ = stop_when_first_ends;
    running_ = 1;  // held while the tasks are being started, so that none of them resumes the parent early
  }
  template <class T>
  void start(task<T>& child, context where, entry& a, std::size_t index) {
    a.group = this;
    a.index = index;
    ++running_;
    child.start(where, a).resume();
  }
  /// Whether all tasks had ended by the time all were started; then the parent need not suspend.
  bool all_ended_already() noexcept { return --running_ == 0; }
  [[nodiscard]] std::size_t first() const noexcept { return first_; }

 private:
  std::coroutine_handle<> ended(std::size_t index) noexcept {
    if (first_ == no_task) {
      first_ = index;
      if (stop_when_first_ends_ != nullptr) stop_when_first_ends_->request_stop();
    }
    if (--running_ == 0) return waiting_;
    return std::noop_coroutine();
  }

  std::coroutine_handle<> waiting_;
  stop_source* stop_when_first_ends_ = nullptr;
  std::size_t running_ = 0;
  std::size_t first_ = no_task;
};

}  // namespace hawser::detail

// SPDX-License-Identifier: MIT
// Awaits several tasks and joins all of them: `when_all` for all values, `when_any` for the first, which then stops the
// others. The result also contains what the other tasks had already received; nothing is discarded.
#pragma once

#include <array>
#include <tuple>
#include <vector>

#include "detail/join_group.hpp"

namespace hawser {

namespace detail {

template <class... Ts>
class when_tuple {
 public:
  explicit when_tuple(task<Ts>... tasks) : tasks_(std::move(tasks)...) {}
  [[nodiscard]] bool await_ready() const noexcept { return sizeof...(Ts) == 0; }

 protected:
  bool start(std::coroutine_handle<> waiting, context where, stop_source* stop_when_first_ends) {
    group_.begin(waiting, stop_when_first_ends);
    start_each(where, std::index_sequence_for<Ts...>{});
    return !group_.all_ended_already();
  }
  std::tuple<value_or_monostate<Ts>...> take() {
    return std::apply([](auto&... ended) { return std::tuple<value_or_monostate<Ts>...>{take_value(ended)...}; },
                      tasks_);
  }
  join_group group_;

 private:
  template <std::size_t... I>
  void start_each(context where, std::index_sequence<I...>) {
    (group_.start(std::get<I>(tasks_), where, entries_[I], I), ...);
  }
  std::tuple<task<Ts>...> tasks_;
  std::array<join_group::entry, sizeof...(Ts)> entries_;
};

}  // namespace detail

template <class... Ts>
class when_all_operation final : private detail::when_tuple<Ts...> {
 public:
  using detail::when_tuple<Ts...>::when_tuple;
  using detail::when_tuple<Ts...>::await_ready;
  template <class Promise>
    requires std::derived_from<Promise, promise_base>
  bool await_suspend(std::coroutine_handle<Promise> waiting) {
    return this->start(waiting, waiting.promise().task_context, nullptr);
  }
  std::tuple<detail::value_or_monostate<Ts>...> await_resume() { return this->take(); }
};

template <class... Ts>
struct any_outcome {
  std::size_t winner = 0;
  std::tuple<detail::value_or_monostate<Ts>...> values;  ///< of all tasks; a task that was stopped has errc::cancelled
};

template <class... Ts>
class when_any_operation final : private detail::when_tuple<Ts...> {
  static_assert(sizeof...(Ts) > 0, "the first of nothing never comes");

 public:
  using detail::when_tuple<Ts...>::when_tuple;
  using detail::when_tuple<Ts...>::await_ready;
  template <class Promise>
    requires std::derived_from<Promise, promise_base>
  bool await_suspend(std::coroutine_handle<Promise> waiting) {
    stop_.follow(waiting.promise().task_context.stop);
    return this->start(waiting, context{waiting.promise().task_context.loop, &stop_}, &stop_);
  }
  any_outcome<Ts...> await_resume() { return {this->group_.first(), this->take()}; }

 private:
  stop_source stop_;
};

/// `auto both = co_await when_all(f(), g());` returns a tuple; void becomes std::monostate.
template <class... Ts>
[[nodiscard]] when_all_operation<Ts...> when_all(task<Ts>... tasks) {
  return when_all_operation<Ts...>{std::move(tasks)...};
}

template <class T>
class when_each_operation final {
 public:
  explicit when_each_operation(std::vector<task<T>> tasks) : tasks_(std::move(tasks)), entries_(tasks_.size()) {}
  [[nodiscard]] bool await_ready() const noexcept { return tasks_.empty(); }
  template <class Promise>
    requires std::derived_from<Promise, promise_base>
  bool await_suspend(std::coroutine_handle<Promise> waiting) {
    group_.begin(waiting, nullptr);
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      group_.start(tasks_[i], waiting.promise().task_context, entries_[i], i);
    return !group_.all_ended_already();
  }
  std::vector<detail::value_or_monostate<T>> await_resume() {
    std::vector<detail::value_or_monostate<T>> values;
    values.reserve(tasks_.size());
    for (task<T>& ended : tasks_) values.push_back(detail::take_value(ended));
    return values;
  }

 private:
  detail::join_group group_;
  std::vector<task<T>> tasks_;
  std::vector<detail::join_group::entry> entries_;
};

/// The values of a list of tasks, in list order.
template <class T>
[[nodiscard]] when_each_operation<T> when_all(std::vector<task<T>> tasks) {
  return when_each_operation<T>{std::move(tasks)};
}

/// The first task to end stops the others. The await returns when all have ended.
template <class... Ts>
[[nodiscard]] when_any_operation<Ts...> when_any(task<Ts>... tasks) {
  return when_any_operation<Ts...>{std::move(tasks)...};
}

}  // namespace hawser

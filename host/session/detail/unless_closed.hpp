// SPDX-License-Identifier: MIT
// Waits for a task, but no longer than the session lasts: input from a person has no time limit of its own.
#pragma once

#include <tuple>
#include <utility>

#include "../../../runtime/async/event.hpp"
#include "../../../runtime/async/task.hpp"
#include "../../../runtime/async/when.hpp"
#include "../../../runtime/error.hpp"

namespace hawser::detail {

template <class T>
task<result<T>> until_closed(event& closing) {
  auto waited = co_await closing.wait();
  if (!waited) co_return waited.error();
  co_return error{
      .code = errc::closed, .what = "the server ended while its questions were open", .executed = execution::unknown};
}

/// The result of `inner`, or errc::closed once `closing` is set.
template <class T>
task<result<T>> unless_closed(event& closing, task<result<T>> inner) {
  auto first = co_await when_any(std::move(inner), until_closed<T>(closing));
  if (first.winner == 0) co_return std::move(std::get<0>(first.values));
  co_return std::move(std::get<1>(first.values));
}

}  // namespace hawser::detail

// SPDX-License-Identifier: MIT
// The boundary to functions of the embedding program: an exception becomes an error that names the function and never
// propagates through the library. Not for the library's own code, whose exceptions are bugs.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "async/task.hpp"
#include "error.hpp"
#include "log.hpp"

namespace hawser {

/// `on_change threw: no such file`, for the exception that is being handled; call it only inside a handler. Sets
/// `executed: unknown`, because the function may have had effects before it threw.
error thrown_error(std::string_view callback);

/// Calls `function` and returns its value, or its exception as an error.
template <class F>
result<std::invoke_result_t<F&>> guarded(std::string_view callback, F&& function) {
  using value = std::invoke_result_t<F&>;
  try {
    if constexpr (std::is_void_v<value>) {
      function();
      return {};
    } else {
      return result<value>{boost::system::in_place_value, function()};
    }
  } catch (...) {
    return thrown_error(callback);
  }
}

/// The same for a function whose result is not used: an exception is logged.
template <class F>
void call_guarded(const logger& log, std::string_view callback, F&& function) {
  auto called = guarded(callback, std::forward<F>(function));
  if (!called) log.write(log_level::error, "callback", called.error().what);
}

namespace detail {

template <class T>
struct guarded_outcome {
  using type = result<T>;
};
template <class T>
struct guarded_outcome<result<T>> {
  using type = result<T>;
};

}  // namespace detail

/// The same for a function that returns a task: both the call and the task may throw. The exception is also written to
/// `log`. The log and everything the function refers to must live until the await returns.
template <class F, class T = typename std::invoke_result_t<F&>::value_type>
task<typename detail::guarded_outcome<T>::type> guarded_task(std::string callback, F begin,
                                                             const logger* log = nullptr) {
  using outcome = typename detail::guarded_outcome<T>::type;
  error thrown;
  try {
    task<T> begun = begin();
    if constexpr (std::is_void_v<T>) {
      co_await std::move(begun);
      co_return outcome{};
    } else {
      co_return co_await std::move(begun);
    }
  } catch (...) {
    thrown = thrown_error(callback);
  }
  if (log != nullptr) log->write(log_level::error, "callback", thrown.what);
  co_return thrown;
}

}  // namespace hawser

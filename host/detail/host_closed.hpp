// SPDX-License-Identifier: MIT
// The error of operations that a closing hub ends, and the wait for that.
#pragma once

#include "../../runtime/async/event.hpp"
#include "../../runtime/async/task.hpp"
#include "../../runtime/error.hpp"

namespace hawser::detail {

inline error host_closed_error() { return error{.code = errc::closed, .what = "the host is stopped"}; }

/// For when_any(), beside an operation with this result: fails when `closing` is set. Unbounded; the operation ends the
/// wait.
template <class T>
task<result<T>> fail_on_closing(event& closing) {
  auto waited = co_await closing.wait();
  if (!waited) co_return waited.error();
  co_return host_closed_error();
}

}  // namespace hawser::detail

// SPDX-License-Identifier: MIT
// Waiting for an event or a duration as a task, which with_timeout, shield and when_any require.
#pragma once

#include "../event.hpp"
#include "../sleep.hpp"
#include "../task.hpp"

namespace hawser::detail {

inline task<result<void>> wait_for(event& what) { co_return co_await what.wait(); }
inline task<result<void>> wait_for(duration length) { co_return co_await sleep_for(length); }

}  // namespace hawser::detail

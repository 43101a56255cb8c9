// SPDX-License-Identifier: MIT
// How long a server asks to be left alone: the Retry-After field of HTTP, and the `retry` of event streams. Whatever it
// says is kept within bounds.
#pragma once

#include <string_view>

#include "../runtime/clock.hpp"

namespace hawser {

/// Seconds or a date; what is neither counts as one second. Between 0.1 and 60 seconds.
duration retry_after(std::string_view value);

/// The `retry` of an event stream: between 0.1 seconds and 5 minutes.
duration clamped_retry(std::chrono::milliseconds said) noexcept;

/// The pause before the `attempt`th try in a row, from 1: 1, 2, 4 … 60 seconds, up to a quarter less by chance.
duration reconnect_pause(int attempt);

}  // namespace hawser

// SPDX-License-Identifier: MIT
// Delays that a server asks for: the Retry-After field of HTTP, and the `retry` field of event streams. All values are
// clamped.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "../../runtime/loop/clock.hpp"

namespace hawser {

/// The delay from now that a Retry-After field asks for, as seconds or as a date; nullopt if it is neither.
std::optional<std::chrono::seconds> read_retry_after(std::string_view value);

/// The delay before a retry: what the field asks for, between 0.1 and 60 seconds; one second if it cannot be parsed.
duration retry_pause(std::string_view value);

/// The `retry` value of an event stream, clamped to between 0.1 seconds and 5 minutes.
duration clamped_retry(std::chrono::milliseconds said) noexcept;

/// The delay before the `attempt`th consecutive attempt, from 1: 1, 2, 4 … 60 seconds, less a random part of up to a
/// quarter.
duration reconnect_pause(int attempt);

}  // namespace hawser

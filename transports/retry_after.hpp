// SPDX-License-Identifier: MIT
// How long a server asks to be left alone: the Retry-After field of HTTP, and the `retry` of event streams. Whatever it
// says is kept within bounds.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "../runtime/clock.hpp"

namespace hawser {

/// How long a Retry-After field asks to wait from now, by its seconds or its date; nothing where it is neither.
std::optional<std::chrono::seconds> read_retry_after(std::string_view value);

/// The pause before a request that may be repeated: what the field asks for, between 0.1 and 60 seconds; one second
/// where it cannot be read.
duration retry_pause(std::string_view value);

/// The `retry` of an event stream: between 0.1 seconds and 5 minutes.
duration clamped_retry(std::chrono::milliseconds said) noexcept;

/// The pause before the `attempt`th try in a row, from 1: 1, 2, 4 … 60 seconds, up to a quarter less by chance.
duration reconnect_pause(int attempt);

}  // namespace hawser

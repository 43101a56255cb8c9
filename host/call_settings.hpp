// SPDX-License-Identifier: MIT
// What a caller may say about one call: how long it may take, who hears of its progress, and what stops it.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>

#include "../transports/call_operation.hpp"

namespace hawser {

struct call_settings {
  /// How long the whole call may take, whatever it waits for: a place, the start of its server, its answer, a person.
  /// Without it the server's setting holds, or else host_limits::hard_timeout.
  std::optional<duration> timeout{};
  /// How long the server may be silent about the call, without an answer and without progress; a person who fills in a
  /// form that it asked for does not count. Without it the server's setting holds, or else the timeout, or else
  /// host_limits::silence. A native tool reports no progress: both bound the whole call.
  std::optional<duration> silence{};
  std::function<void(const progress_update&)> on_progress{};  ///< on the loop thread
  std::stop_token stop{};                                     ///< from any thread
};

}  // namespace hawser

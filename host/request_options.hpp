// SPDX-License-Identifier: MIT
// Options of one call: timeouts, progress callback, and stop token.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>

#include "../transports/jsonrpc/call_operation.hpp"

namespace hawser {

struct request_options {
  /// Limit of the whole call, including waits for a call slot, the start of the server, its answer, and user input. If
  /// empty, the server's setting applies, or else host_limits::hard_timeout.
  std::optional<duration> timeout{};
  /// How long the server may send neither an answer nor progress; time that a person spends on the server's input
  /// request does not count. If empty, the server's setting applies, or else the timeout, or else host_limits::silence.
  /// A native tool reports no progress: both limits apply to the whole call.
  std::optional<duration> silence{};
  std::function<void(const progress_update&)> on_progress{};  ///< on the loop thread
  std::stop_token stop{};                                     ///< from any thread
};

}  // namespace hawser

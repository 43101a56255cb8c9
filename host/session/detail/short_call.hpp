// SPDX-License-Identifier: MIT
// The time limits of requests that a session makes on its own account: lists, subscriptions, ping.
#pragma once

#include "../../../transports/jsonrpc/peer.hpp"

namespace hawser::detail {

/// Such a request is harmless, but not worth waiting for as long as for a call.
inline call_options short_call() {
  return {.idle_timeout = std::chrono::seconds{30}, .hard_timeout = std::chrono::seconds{60}};
}

}  // namespace hawser::detail

// SPDX-License-Identifier: MIT
// The settings of a streamable_http_handler: path, limits and timeouts.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "../server_session_options.hpp"
#include "http_server_channel.hpp"

namespace hawser {

struct streamable_http_options {
  server_session_options session{};
  std::string path = "/mcp";
  /// Limit for legacy sessions. A new session above the limit replaces one that received nothing after `initialize`,
  /// else one that was idle for `min_idle_for_eviction`, but never one in use. If there is no such session, the request
  /// is refused with 503.
  std::size_t max_sessions = 64;
  duration min_idle_for_eviction = std::chrono::minutes{5};
  /// Limit for sessions of one client, identified by its clientInfo. A new session above the limit replaces an idle
  /// one of the same client, or is refused.
  std::size_t max_sessions_per_client = 16;
  /// Limit for requests and streams of one client in progress. Above it, requests are refused with 429.
  std::size_t max_calls_per_client = 128;
  /// Bytes that requests of one client, in all its sessions, and of all clients may hold at once; see
  /// server_session_options::max_request_bytes.
  std::size_t max_held_per_client = std::size_t{64} << 20;
  std::size_t max_request_bytes = std::size_t{256} << 20;
  /// Limits for unread bytes of responses and notifications: of one session or one modern request …
  http_server_channel_limits unread{};
  /// … of one client in total, and of all clients. While a client has left more than a quarter of a limit unread, its
  /// other requests wait. Results that together exceed a limit are dropped and replaced by an error that says so.
  std::size_t max_unread_per_client = std::size_t{64} << 20;
  std::size_t max_unread = std::size_t{256} << 20;
  duration session_idle_timeout = std::chrono::minutes{30};  ///< after which an unused session is ended
  duration keep_alive = std::chrono::seconds{15};            ///< interval of SSE comments on an idle stream
};

}  // namespace hawser

// SPDX-License-Identifier: MIT
// MCP over Streamable HTTP, server side: one endpoint that serves a service to many clients, in both eras at once.
// Since 2026-07-28 each request is independent; before, `initialize` begins a session. No authorization: loopback
// only.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "../../transports/http/server/http_server.hpp"
#include "http_clients.hpp"
#include "http_request_checks.hpp"
#include "http_session.hpp"

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

class streamable_http_handler {
 public:
  /// The loop and the service must outlive it.
  streamable_http_handler(loop& home, service& what, streamable_http_options options = {});
  streamable_http_handler(const streamable_http_handler&) = delete;
  streamable_http_handler& operator=(const streamable_http_handler&) = delete;

  /// Serves on `at` until stopped. May be called once. Unbounded.
  task<void> run(http_server& at);

  [[nodiscard]] std::size_t sessions() const noexcept { return sessions_.size(); }

 private:
  using session_ref = std::shared_ptr<http_session>;
  struct session_lookup {
    session_ref session{};
    http_refusal why{};  // the refusal, if session is null
  };

  [[nodiscard]] std::optional<complete_response> check_head(const http_head& request) const;
  task<void> answer(server_exchange& call);
  task<void> post(server_exchange& call);
  task<void> serve_modern(server_exchange& call, const message_view& message);
  task<void> initialize(server_exchange& call, const message_view& message);
  task<void> serve_in_session(server_exchange& call, const message_view& message);
  task<void> serve_batch(server_exchange& call);
  // A message of a batch, or a single one, with its id as JSON if it is a request.
  struct posted {
    std::string_view message;
    std::string id{};
  };
  // Releases the body of `call`, which has the messages, and `held` as soon as all of them are delivered.
  static task<void> deliver(const streamable_http_handler& self, server_exchange& call, http_server_channel& to,
                            const server_response& reply, std::vector<posted> messages, byte_budget::share held);
  task<void> exchange(server_exchange& call, http_session& in, server_response& reply, std::vector<posted> messages,
                      std::optional<byte_budget::share> held = std::nullopt);
  task<void> listen(server_exchange& call);
  void end_session(server_exchange& call);

  [[nodiscard]] session_lookup find_session(const http_head& request) const;
  bool make_room(const text_digest& client);
  // If the client has reached its limit, responds with 429 and returns nullopt.
  [[nodiscard]] std::optional<http_clients::call> begin_call(server_exchange& call, const text_digest& client,
                                                             std::string_view id);
  static task<void> run_until_ended(streamable_http_handler& self, session_ref session);

  static streamable_http_options with_budget(streamable_http_options options);

  loop& loop_;
  service& service_;
  streamable_http_options options_;  // with shared_request_budget
  server_session_options modern_;    // for requests without a session
  http_clients clients_;
  std::map<std::string, session_ref, std::less<>> sessions_;
  scope* session_scope_ = nullptr;  // runs the sessions; set while run() is active
};

}  // namespace hawser

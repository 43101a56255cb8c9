// SPDX-License-Identifier: MIT
// MCP over Streamable HTTP, server side: one endpoint that serves a service to many clients, in both eras at once.
// Since 2026-07-28 each request is independent; before, `initialize` begins a session. No authorization: loopback
// only.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "../transports/http_server.hpp"
#include "http_clients.hpp"
#include "http_rules.hpp"
#include "http_session.hpp"

namespace hawser {

struct http_service_options {
  serving_options serving{};
  std::string path = "/mcp";
  /// Limit for legacy sessions. A new session above the limit replaces one that received nothing after `initialize`,
  /// else one that was idle for `session_rest`, but never one in use. If there is no such session, the request is
  /// refused with 503.
  std::size_t max_sessions = 64;
  duration session_rest = std::chrono::minutes{5};
  /// Limit for sessions of one client, identified by its clientInfo. A new session above the limit replaces an idle
  /// one of the same client, or is refused.
  std::size_t max_sessions_per_client = 16;
  /// Limit for requests and streams of one client in progress. Above it, requests are refused with 429.
  std::size_t max_calls_per_client = 128;
  /// Bytes that requests of all clients may hold at once; see serving_options::max_held.
  std::size_t max_held = std::size_t{256} << 20;
  /// Limits for unread bytes of responses and notifications: of one session or one modern request …
  exchange_limits unread{};
  /// … of one client in total, and of all clients. While a client has left more than a quarter of a limit unread, its
  /// other requests wait. Results that together exceed a limit are dropped and replaced by an error that says so.
  std::size_t max_unread_per_client = std::size_t{64} << 20;
  std::size_t max_unread = std::size_t{256} << 20;
  duration session_patience = std::chrono::minutes{30};  ///< after which an unused session is ended
  duration keep_alive = std::chrono::seconds{15};        ///< interval of SSE comments on an idle stream
};

class http_service {
 public:
  /// The loop and the service must outlive it.
  http_service(loop& home, service& what, http_service_options options = {});
  http_service(const http_service&) = delete;
  http_service& operator=(const http_service&) = delete;

  /// Serves on `at` until stopped. May be called once. Unbounded.
  task<void> run(http_server& at);

  [[nodiscard]] std::size_t sessions() const noexcept { return sessions_.size(); }

 private:
  using session_ref = std::shared_ptr<http_session>;
  struct found_session {
    session_ref session{};
    http_refusal why{};  // the refusal, if session is null
  };

  [[nodiscard]] std::optional<whole_answer> judge(const http_head& request) const;
  task<void> answer(http_call& call);
  task<void> post(http_call& call);
  task<void> serve_modern(http_call& call, const message_view& message);
  task<void> initialize(http_call& call, const message_view& message);
  task<void> serve_in_session(http_call& call, const message_view& message);
  task<void> serve_batch(http_call& call);
  // A message of a batch, or a single one, with its id as JSON if it is a request.
  struct posted {
    std::string_view message;
    std::string id{};
  };
  static task<void> deliver(const http_service& self, exchange_channel& to, const http_reply& reply,
                            std::vector<posted> messages);
  task<void> exchange(http_call& call, http_session& in, http_reply& reply, std::vector<posted> messages);
  task<void> listen(http_call& call);
  void end_session(http_call& call);

  [[nodiscard]] found_session session_of(const http_head& request) const;
  bool make_room(const text_digest& client);
  // If the client has reached its limit, responds with 429 and returns nullopt.
  [[nodiscard]] std::optional<http_clients::call> begin_call(http_call& call, const text_digest& client,
                                                             std::string_view id);
  static task<void> live(http_service& self, session_ref session);

  loop& loop_;
  service& service_;
  http_service_options options_;
  serving_options modern_;  // for requests without a session
  http_clients clients_;
  std::map<std::string, session_ref, std::less<>> sessions_;
  scope* lives_ = nullptr;  // runs the sessions; set while run() is active
};

}  // namespace hawser

// SPDX-License-Identifier: MIT
// MCP over Streamable HTTP, the server's side: one endpoint that serves a service to many clients, in both eras at
// once. A request since 2026-07-28 stands for itself; before, `initialize` begins a session. No authorization: loopback
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
  /// Of the era with a handshake. One more takes the place of one on which nothing came after `initialize`, else of
  /// one that was idle for `session_rest`, never of one in use; where there is none it is refused with 503.
  std::size_t max_sessions = 64;
  duration session_rest = std::chrono::minutes{5};
  /// Of one client, which is known by its clientInfo. One more takes the place of its own idle one, or is refused.
  std::size_t max_sessions_per_client = 16;
  /// Requests and streams of one client that are being answered; one more is refused with 429.
  std::size_t max_calls_per_client = 128;
  /// Bytes that requests of all clients may hold at once; see serving_options::max_held.
  std::size_t max_held = std::size_t{256} << 20;
  /// Bytes of answers and notifications that were not read, of one session or one request since 2026-07-28, …
  exchange_limits unread{};
  /// … of one client in all of them, and of all clients. While a client has left a quarter of a limit unread, its other
  /// requests wait; results that are there at once and exceed a limit together are dropped, and their errors say so.
  std::size_t max_unread_per_client = std::size_t{64} << 20;
  std::size_t max_unread = std::size_t{256} << 20;
  duration session_patience = std::chrono::minutes{30};  ///< with a session that nobody uses
  duration keep_alive = std::chrono::seconds{15};        ///< so often a silent stream shows that it lives
};

class http_service {
 public:
  /// Both outlive it.
  http_service(loop& home, service& what, http_service_options options = {});
  http_service(const http_service&) = delete;
  http_service& operator=(const http_service&) = delete;

  /// Serves there until it is stopped. Once. Unbounded.
  task<void> run(http_server& at);

  [[nodiscard]] std::size_t sessions() const noexcept { return sessions_.size(); }

 private:
  using session_ref = std::shared_ptr<http_session>;
  struct found_session {
    session_ref session{};
    http_refusal why{};  // where there is none
  };

  [[nodiscard]] std::optional<whole_answer> judge(const http_head& request) const;
  task<void> answer(http_call& call);
  task<void> post(http_call& call);
  task<void> serve_modern(http_call& call, const message_view& message);
  task<void> initialize(http_call& call, const message_view& message);
  task<void> serve_in_session(http_call& call, const message_view& message);
  task<void> serve_batch(http_call& call);
  // A message of a batch, or one alone; of a request, its id as JSON.
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
  // Nothing where it would be one too many of this client, which the call is answered then.
  [[nodiscard]] std::optional<http_clients::call> begin_call(http_call& call, const text_digest& client,
                                                             std::string_view id);
  static task<void> live(http_service& self, session_ref session);

  loop& loop_;
  service& service_;
  http_service_options options_;
  serving_options modern_;  // what requests without a session are served with
  http_clients clients_;
  std::map<std::string, session_ref, std::less<>> sessions_;
  scope* lives_ = nullptr;  // of the sessions, while it runs
};

}  // namespace hawser

// SPDX-License-Identifier: MIT
// MCP over Streamable HTTP, the server's side: one endpoint that serves a service to many clients, in both eras at
// once. A request since 2026-07-28 stands for itself; before, `initialize` begins a session. No authorization: loopback
// only.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "../transports/http_server.hpp"
#include "http_rules.hpp"
#include "http_session.hpp"

namespace hawser {

struct http_service_options {
  serving_options serving{};
  std::string path = "/mcp";
  /// Of the era with a handshake. One more takes the place of the one that was unused for longest; with all in use it
  /// is refused with 503.
  std::size_t max_sessions = 64;
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

  task<void> answer(http_call& call);
  task<void> post(http_call& call);
  task<void> serve_modern(http_call& call, const message_view& message);
  task<void> initialize(http_call& call, const message_view& message);
  task<void> serve_in_session(http_call& call, const message_view& message);
  task<void> serve_batch(http_call& call);
  task<void> exchange(http_call& call, http_session& in, http_reply& reply, std::vector<std::string_view> messages);
  task<void> listen(http_call& call);
  void end_session(http_call& call);

  [[nodiscard]] found_session session_of(const http_head& request) const;
  [[nodiscard]] http_reply::manner manner_for(exchange_channel& channel) const;
  bool make_room();
  static task<void> live(http_service& self, session_ref session);

  loop& loop_;
  service& service_;
  http_service_options options_;
  serving_options modern_;  // what requests without a session are served with
  std::map<std::string, session_ref, std::less<>> sessions_;
  scope* lives_ = nullptr;  // of the sessions, while it runs
};

}  // namespace hawser

// SPDX-License-Identifier: MIT
// MCP over Streamable HTTP, server side: one endpoint that serves a service to many clients, in both eras at once.
// Since 2026-07-28 each request is independent; before, `initialize` begins a session. No authorization: loopback
// only.
#pragma once

#include <optional>
#include <string>

#include "../../transports/http/server/http_server.hpp"
#include "http_clients.hpp"
#include "http_request_checks.hpp"
#include "legacy_http_handler.hpp"
#include "streamable_http_options.hpp"

namespace hawser {

class streamable_http_handler {
 public:
  /// The loop and the service must outlive it.
  streamable_http_handler(loop& event_loop, service& service, streamable_http_options options = {});
  streamable_http_handler(const streamable_http_handler&) = delete;
  streamable_http_handler& operator=(const streamable_http_handler&) = delete;

  /// Serves on `server` until stopped. May be called once. Unbounded.
  task<void> run(http_server& server);

  [[nodiscard]] std::size_t sessions() const noexcept { return legacy_.sessions(); }

 private:
  [[nodiscard]] std::optional<complete_response> check_head(const http_head& request) const;
  task<void> answer(server_exchange& call);
  task<void> post(server_exchange& call);
  task<void> serve_modern(server_exchange& call, const message_view& message);

  static streamable_http_options with_budget(streamable_http_options options);

  loop& loop_;
  service& service_;
  streamable_http_options options_;  // with shared_request_budget
  server_session_options modern_;    // for requests without a session
  http_clients clients_;
  legacy_http_handler legacy_;
};

}  // namespace hawser

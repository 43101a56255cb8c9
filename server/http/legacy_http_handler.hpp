// SPDX-License-Identifier: MIT
// The requests of a streamable_http_handler before 2026-07-28: `initialize` begins a session, and every other request
// names one. Batches, the stream of messages from the server, and the end of a session.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../transports/http/server/http_server.hpp"
#include "http_clients.hpp"
#include "http_request_checks.hpp"
#include "http_session_table.hpp"
#include "streamable_http_options.hpp"

namespace hawser {

class legacy_http_handler {
 public:
  /// All parameters must outlive it.
  legacy_http_handler(loop& event_loop, service& service, const streamable_http_options& options,
                      http_clients& clients);
  legacy_http_handler(const legacy_http_handler&) = delete;
  legacy_http_handler& operator=(const legacy_http_handler&) = delete;

  /// The scope of the sessions, which outlives the other calls; null after it was joined.
  void run_sessions_in(scope* sessions) noexcept { session_scope_ = sessions; }

  task<void> initialize(server_exchange& call, const message_view& message);
  task<void> serve_message(server_exchange& call, const message_view& message);
  /// Batches exist in 2025-03-26 only. The responses are sent as events of one stream.
  task<void> serve_batch(server_exchange& call);
  /// The stream of messages from the server: one per session; a new one replaces the previous one.
  task<void> listen(server_exchange& call);
  void end_session(server_exchange& call);

  [[nodiscard]] std::size_t sessions() const noexcept { return sessions_.size(); }

 private:
  using session_ref = http_session_table::session_ref;
  struct session_lookup {
    session_ref session{};
    http_refusal why{};  // the refusal, if session is null
  };
  // A message of a batch, or a single one, with its id as JSON if it is a request.
  struct posted {
    std::string_view message;
    std::string id{};
  };

  [[nodiscard]] session_lookup find_session(const http_head& request) const;
  static task<void> run_until_ended(legacy_http_handler& self, session_ref session);
  // Releases the body of `call`, which has the messages, and `held` as soon as all of them are delivered.
  static task<void> deliver(const legacy_http_handler& self, server_exchange& call, http_server_channel& destination,
                            const server_response& reply, std::vector<posted> messages, byte_budget::share held);
  task<void> exchange(server_exchange& call, http_session& session, server_response& reply,
                      std::vector<posted> messages, std::optional<byte_budget::share> held = std::nullopt);

  loop& loop_;
  service& service_;
  const streamable_http_options& options_;
  http_clients& clients_;
  http_session_table sessions_;
  scope* session_scope_ = nullptr;
};

}  // namespace hawser

// SPDX-License-Identifier: MIT
// The legacy era (2024-11-05 to 2025-11-25) of a server_session: the state that `initialize` begins, and the methods
// that only this era has. Methods of both eras are served by service_method.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include "../transports/jsonrpc/peer.hpp"
#include "client_description.hpp"
#include "server_session_options.hpp"
#include "service_method.hpp"
#include "severity.hpp"
#include "text_digest.hpp"

namespace hawser {

class legacy_session {
 public:
  /// All parameters must outlive it.
  legacy_session(const loop& event_loop, const service& service, channel& transport,
                 const server_session_options& options) noexcept
      : loop_(event_loop), service_(service), channel_(transport), options_(options) {}

  /// Answers a request, except one for a method of both eras that `initialize` has enabled. That method is returned,
  /// and the caller answers for client().
  const service_method* handle(std::string_view method, std::string_view params, responder& answer);
  void on_notification(std::string_view method) noexcept;

  /// Null before `initialize`.
  [[nodiscard]] const std::shared_ptr<const client_description>& client() const noexcept { return client_; }
  /// Whether `notifications/initialized` was received: notifications may be sent.
  [[nodiscard]] bool ready() const noexcept { return ready_; }
  [[nodiscard]] bool is_subscribed(std::string_view uri) const;
  /// The minimum severity of log messages; empty if the service sends none.
  [[nodiscard]] const std::optional<severity>& log_level() const noexcept { return log_level_; }

 private:
  void initialize(std::string_view params, responder& answer);
  void set_level(std::string_view params, responder& answer);
  void subscribe(std::string_view params, responder& answer);
  void unsubscribe(std::string_view params, responder& answer);

  const loop& loop_;
  const service& service_;
  channel& channel_;
  const server_session_options& options_;
  std::shared_ptr<const client_description> client_;
  bool ready_ = false;
  std::set<text_digest> subscribed_uris_;
  std::optional<severity> log_level_;
};

}  // namespace hawser

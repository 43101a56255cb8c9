// SPDX-License-Identifier: MIT
// The server side of MCP for one client over one channel, in both eras at once: a request with a protocol version in
// its `_meta` is served independently, any other under what `initialize` negotiated. Answers on behalf of a service;
// starts no process.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "../runtime/async/event.hpp"
#include "../runtime/async/scope.hpp"
#include "../runtime/async/semaphore.hpp"
#include "../transports/jsonrpc/peer.hpp"
#include "legacy_session.hpp"
#include "service_method.hpp"
#include "subscriptions.hpp"

namespace hawser {

class server_session final : private peer_listener, private service_listener {
 public:
  /// All three must outlive it. The session opens and closes the channel.
  server_session(loop& home, service& what, channel& over, server_session_options options = {});
  server_session(const server_session&) = delete;
  server_session& operator=(const server_session&) = delete;
  ~server_session();

  /// Serves until the client disconnects or a stop is requested, then ends requests in progress and closes the
  /// channel. May be called once. Fails if the channel could not be opened or was closed for another reason than by
  /// the client. Unbounded.
  task<result<void>> run();

 private:
  // Sits between channel and peer: after the client has closed its end, requests received before may still be
  // answered.
  class channel_receiver final : public receiver {
   public:
    explicit channel_receiver(server_session& owner) noexcept : owner_(owner) {}
    void on_message(const message_view& message) noexcept override;
    void on_request_failed(std::int64_t request, error why) noexcept override;
    void on_reset(error why) noexcept override;
    void on_closed(error why) noexcept override;

   private:
    server_session& owner_;
  };

  void on_request(std::string_view method, std::string_view params, responder answer) override;
  void on_notification(std::string_view method, std::string_view params) override;
  void on_list_changed(list_kind what) override;
  void on_resource_updated(std::string_view uri) override;

  void on_modern(std::string_view method, std::string_view params, responder answer);
  void on_legacy(std::string_view method, std::string_view params, responder answer);
  [[nodiscard]] std::string discover_result() const;
  void begin(const service_method& method, std::string_view params, std::shared_ptr<const client_description> client,
             responder answer);
  static task<void> serve(server_session& self, const service_method& method, std::string params,
                          std::shared_ptr<const client_description> client, responder answer, byte_budget::share held);
  static task<void> listen(server_session& self, listen_filter filter, responder answer);
  task<result<void>> wait_for_room();
  void respond(responder& answer, result<std::string> served);
  task<void> end();

  service& service_;
  channel& channel_;
  server_session_options options_;
  peer peer_;
  channel_receiver channel_receiver_{*this};
  std::shared_ptr<pending_inputs> rounds_;
  byte_budget held_;
  method_context method_context_;
  subscriptions subscriptions_;
  legacy_session legacy_;
  std::unique_ptr<scope> requests_;
  semaphore dispatching_{1};     // for requests that had to wait until the client has read
  std::size_t in_progress_ = 0;  // without subscriptions
  event idle_;
  event disconnected_;
  std::optional<error> disconnect_reason_;
  bool ending_ = false;
  event ended_;
};

}  // namespace hawser

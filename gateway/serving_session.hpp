// SPDX-License-Identifier: MIT
// The server side of MCP for one client over one channel, in both eras at once: a request with a protocol version in
// its `_meta` is served independently, any other under what `initialize` negotiated. Answers on behalf of a service;
// starts no process.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "../runtime/event.hpp"
#include "../runtime/scope.hpp"
#include "../runtime/semaphore.hpp"
#include "../transports/peer.hpp"
#include "shared_methods.hpp"
#include "subscriptions.hpp"

namespace hawser {

class serving_session final : private peer_listener, private service_listener {
 public:
  /// All three must outlive it. The session opens and closes the channel.
  serving_session(loop& home, service& what, channel& over, serving_options options = {});
  serving_session(const serving_session&) = delete;
  serving_session& operator=(const serving_session&) = delete;
  ~serving_session();

  /// Serves until the client disconnects or a stop is requested, then ends requests in progress and closes the
  /// channel. May be called once. Fails if the channel could not be opened or was closed for another reason than by
  /// the client. Unbounded.
  task<result<void>> run();

 private:
  // Sits between channel and peer: after the client has closed its end, requests received before may still be
  // answered.
  class inlet final : public receiver {
   public:
    explicit inlet(serving_session& owner) noexcept : owner_(owner) {}
    void on_message(const message_view& message) noexcept override;
    void on_request_failed(std::int64_t request, error why) noexcept override;
    void on_reset(error why) noexcept override;
    void on_closed(error why) noexcept override;

   private:
    serving_session& owner_;
  };
  // The state set up by `initialize`.
  struct legacy_client {
    std::shared_ptr<const client_view> view;  // null: not initialized
    bool ready = false;                       // `notifications/initialized` received: notifications may be sent
    std::set<text_digest> watched;
  };

  void on_request(std::string_view method, std::string_view params, responder answer) override;
  void on_notification(std::string_view method, std::string_view params) override;
  void on_changed(list_kind what) override;
  void on_updated(std::string_view uri) override;

  void on_modern(std::string_view method, std::string_view params, responder answer);
  void on_legacy(std::string_view method, std::string_view params, responder answer);
  void initialize(std::string_view params, responder& answer);
  void set_level(std::string_view params, responder& answer);
  void watch(std::string_view params, responder& answer);
  void unwatch(std::string_view params, responder& answer);
  [[nodiscard]] std::string discovered() const;
  void begin(const shared_method& method, std::string_view params, std::shared_ptr<const client_view> client,
             responder answer);
  static task<void> serve(serving_session& self, const shared_method& method, std::string params,
                          std::shared_ptr<const client_view> client, responder answer, byte_budget::share held);
  static task<void> listen(serving_session& self, listen_filter filter, responder answer);
  task<result<void>> wait_for_room();
  void respond(responder& answer, result<std::string> served);
  task<void> end();

  service& service_;
  channel& channel_;
  serving_options options_;
  peer side_;
  inlet inlet_{*this};
  std::shared_ptr<input_rounds> rounds_;
  byte_budget held_;
  serving_means means_;
  subscriptions subscriptions_;
  legacy_client legacy_;
  std::optional<severity> legacy_level_;
  std::unique_ptr<scope> requests_;
  semaphore dispatching_{1};   // for requests that had to wait until the client has read
  std::size_t under_way_ = 0;  // without subscriptions
  event idle_;
  event gone_;
  std::optional<error> why_gone_;
  bool ending_ = false;
  event ended_;
};

}  // namespace hawser

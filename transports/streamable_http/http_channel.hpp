// SPDX-License-Identifier: MIT
// MCP over HTTP: one POST per message, responses as JSON or as an SSE stream. Before 2026-07-28 also sessions, the GET
// stream for server-initiated messages, and resumption. The HTTP+SSE transport of 2024-11-05, with one event stream and
// a separate POST endpoint, is detected where it is allowed.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../runtime/async/scope.hpp"
#include "../http/client/http_client.hpp"
#include "../jsonrpc/channel.hpp"
#include "../jsonrpc/message_reader.hpp"
#include "../jsonrpc/scanner.hpp"
#include "authorizer.hpp"
#include "request_index.hpp"

namespace hawser {

struct http_channel_options {
  enum class kind : std::uint8_t { automatic, streamable, sse };
  http_url to{};
  std::string fields{};  ///< header lines of every request, validated by the caller; may contain secrets
  kind type = kind::automatic;
  /// Which of `fields` are credentials, for error messages: `header "Authorization"`. Empty: none.
  std::string credential_names{};
  http_client_options client{};
  wire_limits limits{};
  /// Timeout for the server to accept a notification or a response of ours, per attempt. Calls have their own limits.
  duration post_timeout = std::chrono::seconds{30};
  /// Limit for notifications and responses of ours that the server has not accepted yet; further ones are dropped.
  std::size_t max_unaccepted = 256;
  /// How long the response to `notifications/initialized` may hold back later messages.
  duration initialized_timeout = std::chrono::seconds{5};
  authorizer* login = nullptr;  ///< supplies credentials if not null; outlives the channel
  /// Called before the delay that a 429 or 503 response asks for, after which the request is sent again.
  std::function<void(std::string_view method, int status, duration pause)> on_busy{};
};

class http_channel final : public channel {
 public:
  /// `home` and `names` outlive the channel.
  http_channel(loop& home, resolver& names, http_channel_options options);
  ~http_channel() override;

  /// Connects only for the HTTP+SSE transport; otherwise nothing happens before the first message.
  task<result<void>> open(receiver& to) override;
  std::size_t send(const outgoing_message& message) override;
  [[nodiscard]] std::size_t queued() const noexcept override { return queued_; }
  task<result<void>> drained() override;
  bool withdraw(std::int64_t request) noexcept override;
  void cancel(std::int64_t request, std::string_view reason) noexcept override;
  void release(std::int64_t request) noexcept override;
  void negotiated(const peer_info& info) override;
  [[nodiscard]] bool is_http() const noexcept override { return true; }
  void trim() noexcept override;
  /// Also deletes the session on the server, if there is one.
  task<result<void>> close() override;

  /// Responses that were dropped because they arrived on a stream they do not belong to.
  [[nodiscard]] std::uint64_t misrouted_responses() const noexcept { return misrouted_responses_; }

 private:
  // One outgoing message and the response to it.
  struct outbound_post final : response_listener, std::enable_shared_from_this<outbound_post> {
    explicit outbound_post(http_channel& owner) : of(owner) {}
    void on_response_progress() noexcept override { of.on_fast_response(*this); }

    http_channel& of;
    std::string body;
    std::string fields;
    std::string method;  // empty: this is a response
    std::optional<std::int64_t> request{};
    std::size_t place = 0;  // index in requests_ plus one; 0: not in it
    outbound_post* next_by_id = nullptr;
    std::size_t unsent = 0;  // its part of queued()
    bool replayable = false;
    bool names_session = false;  // in a header field
    bool answered = false;
    request_handle handle{};
    send_check_ref check{};
    event abandoned{};
    event ended{};                                  // set only over the transport of 2024-11-05
    started_request started{};                      // the request, if it was sent without a coroutine, …
    std::optional<credentials> used_credentials{};  // … and its credentials
  };
  class event_reader;
  enum class mode : std::uint8_t { streamable, sse };

  // http_channel.cpp
  static task<void> run_post(http_channel& self, std::shared_ptr<outbound_post> what);
  void describe(outbound_post& what, const outgoing_message& message, std::string_view bytes);
  [[nodiscard]] std::string fields_for(const outgoing_message& message, const message_view& opened) const;
  void fail(outbound_post& what, error why);
  std::shared_ptr<outbound_post> find_post(std::int64_t request) const noexcept;
  void abandon(outbound_post& what) noexcept;
  void mark_sent(outbound_post& what) noexcept;
  void report_closed(error why) noexcept;
  void withdraw_all() noexcept;
  void on_session_lost(const error& why);
  void on_initialized();
  static task<void> limit_initialization(http_channel& self);
  void note_dropped_post();
  task<result<void>> pause(outbound_post* whose, duration length);
  task<void> end_session();

  // http_fast_path.cpp
  std::shared_ptr<outbound_post> new_post();
  void register_request(const std::shared_ptr<outbound_post>& what);
  void unregister_request(outbound_post& what) noexcept;
  void recycle(std::shared_ptr<outbound_post> what) noexcept;
  [[nodiscard]] client_request request_of(outbound_post& what) const noexcept;
  bool try_send_now(outbound_post& what);
  void on_fast_response(outbound_post& what) noexcept;
  bool deliver_fast_response(outbound_post& what);
  void drop_fast_requests() noexcept;
  void drop_fast_request(outbound_post& what) noexcept;

  // http_authorization.cpp
  [[nodiscard]] std::optional<credentials> cached_credentials();
  task<result<client_response>> fetch(client_request what, std::string_view operation, started_request started = {},
                                      std::optional<credentials> used_credentials = {});

  // http_post_exchange.cpp
  task<result<void>> exchange(outbound_post& what);
  task<result<void>> handle_success(outbound_post& what, client_response answer);
  task<result<void>> handle_error_status(outbound_post& what, client_response answer);
  task<result<void>> read_json_body(outbound_post& what, client_response& answer);
  [[nodiscard]] std::string beginning(std::string_view body) const;
  [[nodiscard]] error unexpected(const http_head& head, std::string_view body) const;
  [[nodiscard]] error unauthorized(error why) const;
  [[nodiscard]] error forbidden(error why) const;
  bool store_session_id(const http_head& head);
  void deliver(std::string_view bytes, byte_buffer* storage, outbound_post* own);
  void deliver_batch(std::string_view bytes, outbound_post* own);

  // http_event_streams.cpp
  static task<result<void>> read_events(client_response& from, event_reader& into);
  task<result<void>> follow_events(outbound_post& what, client_response answer);
  task<result<client_response>> get(std::string last_event, request_handle* handle);
  static task<void> run_get_stream(http_channel& self);
  task<bool> session_is_lost();
  task<result<void>> open_sse_transport();
  static task<void> run_sse_stream(http_channel& self, std::unique_ptr<client_response> from,
                                   std::unique_ptr<event_reader> into);
  void end_post_soon(std::int64_t request);
  static task<void> end_post(std::shared_ptr<outbound_post> what);

  loop& loop_;
  http_channel_options options_;
  http_client client_;
  scanner scanner_;
  receiver* to_ = nullptr;
  std::unique_ptr<scope> work_;
  std::vector<std::shared_ptr<outbound_post>> requests_;
  request_index<outbound_post> requests_by_id_;
  std::vector<std::shared_ptr<outbound_post>> spare_;  // reused together with their memory
  mode mode_ = mode::streamable;
  http_url endpoint_;  // for POSTs
  std::string revision_;
  std::string usual_fields_;  // header lines of an ordinary request in the session, cached when the first one is sent
  std::string session_;       // the session's header line for every request; empty = none
  bool has_session_ = false;
  bool listening_ = false;
  bool initializing_ = false;  // notifications/initialized is not accepted yet
  event initialized_;
  bool get_stream_pending_ = false;  // server-initiated messages may not arrive yet: the GET stream is not open
  event get_stream_opened_;
  std::size_t queued_ = 0;
  event all_sent_;
  std::uint64_t misrouted_responses_ = 0;
  std::size_t unaccepted_ = 0;       // messages other than requests, from send() to the end of their exchange
  std::uint64_t dropped_posts_ = 0;  // because more than max_unaccepted were pending
  bool closed_reported_ = false;
  bool closing_ = false;
  event closed_;
};

}  // namespace hawser

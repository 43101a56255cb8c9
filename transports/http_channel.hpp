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

#include "../runtime/scope.hpp"
#include "authorizer.hpp"
#include "channel.hpp"
#include "http_client.hpp"
#include "message_reader.hpp"
#include "request_index.hpp"
#include "scanner.hpp"

namespace hawser {

struct http_channel_options {
  enum class kind : std::uint8_t { automatic, streamable, sse };
  http_url to{};
  std::string fields{};  ///< header lines of every request, validated by the caller; may contain secrets
  kind type = kind::automatic;
  /// Which of `fields` are credentials, for error messages: `header "Authorization"`. Empty: none.
  std::string credentials{};
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
  std::size_t send(const outgoing& message) override;
  [[nodiscard]] std::size_t queued() const noexcept override { return queued_; }
  task<result<void>> drained() override;
  bool withdraw(std::int64_t request) noexcept override;
  void cancel(std::int64_t request, std::string_view reason) noexcept override;
  void release(std::int64_t request) noexcept override;
  void negotiated(const peer_info& info) override;
  [[nodiscard]] bool is_http() const noexcept override { return true; }
  void rest() noexcept override;
  /// Also deletes the session on the server, if there is one.
  task<result<void>> close() override;

  /// Responses that were dropped because they arrived on a stream they do not belong to.
  [[nodiscard]] std::uint64_t foreign() const noexcept { return foreign_; }

 private:
  // One outgoing message and the response to it.
  struct posting final : exchange_watcher, std::enable_shared_from_this<posting> {
    explicit posting(http_channel& owner) : of(owner) {}
    void on_answer_grew() noexcept override { of.quick_answer(*this); }

    http_channel& of;
    std::string body;
    std::string fields;
    std::string method;  // empty: this is a response
    std::optional<std::int64_t> request{};
    std::size_t place = 0;  // index in requests_ plus one; 0: not in it
    posting* next_by_id = nullptr;
    std::size_t unsent = 0;  // its part of queued()
    bool replayable = false;
    bool names_session = false;  // in a header field
    bool answered = false;
    http_ticket ticket{};
    event given_up{};
    event ended{};                          // set only over the transport of 2024-11-05
    http_started begun{};                   // the request, if it was sent without a coroutine, …
    std::optional<auth_grant> made_with{};  // … and its credentials
  };
  class event_reader;
  enum class mode : std::uint8_t { streamable, sse };

  // http_channel.cpp
  static task<void> sending(http_channel& self, std::shared_ptr<posting> what);
  void describe(posting& what, const outgoing& message, std::string_view bytes);
  [[nodiscard]] std::string fields_for(const outgoing& message, const message_view& opened) const;
  void fail(posting& what, error why);
  std::shared_ptr<posting> posting_of(std::int64_t request) const noexcept;
  void give_up(posting& what) noexcept;
  void left(posting& what) noexcept;
  void tell_closed(error why) noexcept;
  void withdraw_all() noexcept;
  void forgotten(const error& why);
  void session_begun();
  static task<void> bound_initializing(http_channel& self);
  void note_dropped_post();
  task<result<void>> pause(posting* whose, duration length);
  task<void> end_session();

  // http_quick.cpp
  std::shared_ptr<posting> new_posting();
  void expect_answer(const std::shared_ptr<posting>& what);
  void expect_no_more(posting& what) noexcept;
  void let_go(std::shared_ptr<posting> what) noexcept;
  [[nodiscard]] http_request request_of(posting& what) const noexcept;
  bool send_at_once(posting& what);
  void quick_answer(posting& what) noexcept;
  bool take_quick_answer(posting& what);
  void drop_quick_ones() noexcept;
  void drop_quick_one(posting& what) noexcept;

  // http_login.cpp
  [[nodiscard]] std::optional<auth_grant> grant_at_hand();
  task<result<http_answer>> ask(http_request what, std::string_view operation, http_started begun = {},
                                std::optional<auth_grant> made_with = {});

  // http_exchange.cpp
  task<result<void>> exchange(posting& what);
  task<result<void>> accepted(posting& what, http_answer answer);
  task<result<void>> refused(posting& what, http_answer answer);
  task<result<void>> one_body(posting& what, http_answer& answer);
  [[nodiscard]] std::string beginning(std::string_view body) const;
  [[nodiscard]] error unexpected(const http_head& head, std::string_view body) const;
  [[nodiscard]] error unauthorized(error why) const;
  [[nodiscard]] error forbidden(error why) const;
  bool take_session(const http_head& head);
  void deliver(std::string_view bytes, byte_buffer* storage, posting* own);
  void deliver_batch(std::string_view bytes, posting* own);

  // http_event_streams.cpp
  static task<result<void>> read_events(http_answer& from, event_reader& into);
  task<result<void>> events_of(posting& what, http_answer answer);
  task<result<http_answer>> get(std::string last_event, http_ticket* ticket);
  static task<void> listening(http_channel& self);
  task<bool> session_is_gone();
  task<result<void>> open_old_transport();
  static task<void> old_stream(http_channel& self, std::unique_ptr<http_answer> from,
                               std::unique_ptr<event_reader> into);
  void end_post_soon(std::int64_t request);
  static task<void> ending_post(std::shared_ptr<posting> what);

  loop& loop_;
  http_channel_options options_;
  http_client client_;
  scanner scanner_;
  receiver* to_ = nullptr;
  std::unique_ptr<scope> work_;
  std::vector<std::shared_ptr<posting>> requests_;
  request_index<posting> requests_by_id_;
  std::vector<std::shared_ptr<posting>> spare_;  // reused together with their memory
  mode mode_ = mode::streamable;
  http_url endpoint_;  // for POSTs
  std::string revision_;
  std::string usual_fields_;  // header lines of an ordinary request in the session, cached when the first one is sent
  std::string session_;       // the session's header line for every request; empty = none
  bool has_session_ = false;
  bool listening_ = false;
  bool initializing_ = false;  // notifications/initialized is not accepted yet
  event initialized_;
  bool stream_due_ = false;  // server-initiated messages may not arrive yet: the GET stream is not open
  event stream_there_;
  std::size_t queued_ = 0;
  event all_sent_;
  std::uint64_t foreign_ = 0;
  std::size_t unaccepted_ = 0;       // messages other than requests, from send() to the end of their exchange
  std::uint64_t dropped_posts_ = 0;  // because more than max_unaccepted were pending
  bool told_ = false;
  bool closing_ = false;
  event closed_;
};

}  // namespace hawser

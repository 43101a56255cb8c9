// SPDX-License-Identifier: MIT
// MCP over HTTP: one POST per message, responses as JSON or as an SSE stream. Before 2026-07-28 also sessions, the GET
// stream for server-initiated messages, and resumption. The HTTP+SSE transport of 2024-11-05, with one event stream and
// a separate POST endpoint, is detected where it is allowed. The steps have classes of their own, which this one
// connects.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "../../runtime/async/event.hpp"
#include "../../runtime/async/scope.hpp"
#include "../http/client/http_client.hpp"
#include "../jsonrpc/channel.hpp"
#include "../jsonrpc/message_reader.hpp"
#include "authorizer.hpp"

namespace hawser {

namespace detail {
struct outbound_post;
}

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
  /// `event_loop` and `names` outlive the channel.
  http_channel(loop& event_loop, resolver& names, http_channel_options options);
  ~http_channel() override;

  /// Connects only for the HTTP+SSE transport; otherwise nothing happens before the first message.
  task<result<void>> open(receiver& to) override;
  std::size_t send(const outgoing_message& message) override;
  [[nodiscard]] std::size_t queued() const noexcept override;
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
  [[nodiscard]] std::uint64_t misrouted_responses() const noexcept;

 private:
  struct components;
  enum class state : std::uint8_t { unopened, open, ended, closing, closed };

  // Of the end of a connection: by the server, …
  void on_ended(error why) noexcept;
  // … and because it has ended the session.
  void on_session_lost(const error& why) noexcept;
  void on_initialized();
  void on_post_progress(detail::outbound_post& post) noexcept;
  void report_closed(error why) noexcept;
  void withdraw_all() noexcept;
  void fail(detail::outbound_post& post, error why);
  void note_dropped_post();
  bool try_fast_path(detail::outbound_post& post);
  task<result<void>> open_sse_transport();
  task<void> delete_session();

  static task<void> run_post(http_channel& self, std::shared_ptr<detail::outbound_post> post);
  static task<void> limit_initialization(http_channel& self);
  static task<void> run_get_stream(http_channel& self);
  static task<void> run_sse_transport(http_channel& self);

  loop& loop_;
  http_channel_options options_;
  state state_ = state::unopened;
  receiver* receiver_ = nullptr;
  std::unique_ptr<scope> work_;
  std::unique_ptr<components> components_;
  event initialized_;                // notifications/initialized is not being sent, or was accepted
  std::size_t unaccepted_ = 0;       // messages other than requests, from send() to the end of their exchange
  std::uint64_t dropped_posts_ = 0;  // because more than max_unaccepted were pending
  event closed_;
};

}  // namespace hawser

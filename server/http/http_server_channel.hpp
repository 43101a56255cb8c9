// SPDX-License-Identifier: MIT
// The server's end of MCP over Streamable HTTP, as a channel. Incoming messages arrive by POST; each outgoing message
// is routed to the HTTP response that it belongs to. The owner of the HTTP requests delivers messages and attaches
// responses; this class only does the routing.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "../../transports/jsonrpc/channel.hpp"
#include "../../transports/jsonrpc/scanner.hpp"
#include "server_response.hpp"

namespace hawser {

struct http_server_channel_limits {
  /// The limit for bytes that the client has not read. Above it, notifications are dropped; for responses, the sender
  /// must check has_room() first.
  std::size_t max_unread = max_unsent;
  /// How long a response is held back because the client has much unread data in its other sessions. The wait for
  /// unread data in this session has no limit: a client that reads nothing is disconnected.
  duration backlog_timeout = std::chrono::seconds{2};
};

class http_server_channel final : public channel {
 public:
  /// `of_client`: the counter of the client's unread bytes in all its sessions; bytes of this channel are counted
  /// there, too.
  explicit http_server_channel(http_server_channel_limits limits = {},
                               std::shared_ptr<send_backlog> of_client = nullptr);
  ~http_server_channel() override;

  task<result<void>> open(receiver& to) override;
  std::size_t send(const outgoing_message& message) override;
  [[nodiscard]] std::size_t queued() const noexcept override { return backlog_.bytes(); }
  task<result<void>> drained() override;
  /// Counts only the stream that the message will go to: a client that does not read one stream loses nothing on the
  /// others.
  [[nodiscard]] std::size_t queued_before(const outgoing_message& message) const noexcept override;
  [[nodiscard]] bool has_room(std::size_t bytes) const noexcept override { return backlog_.has_room(bytes); }
  [[nodiscard]] bool congested() const noexcept override;
  task<result<void>> until_uncongested() override;
  void cancel(std::int64_t request, std::string_view reason) noexcept override;
  void negotiated(const peer_info& info) override { revision_ = info.revision; }
  task<result<void>> close() override;

  /// Completes when messages can be delivered, or with an error if the channel was closed first.
  task<result<void>> wait_until_open();
  /// Delivers one posted message. It must be valid JSON, checked by a scanner.
  void deliver(std::string_view message);
  /// Routes messages that belong to the request ids `reply` expects to `reply`, until detach(). detach() drops
  /// whatever `reply` has not sent yet.
  void attach(server_response& reply);
  void detach(server_response& reply) noexcept;
  /// Whether a response to this id is still expected.
  [[nodiscard]] bool expects_response(std::string_view id) const noexcept { return response_for(id) != nullptr; }
  /// Sends messages that belong to no request to `reply`, starting with those queued so far. Ends the previous
  /// listening stream, if any.
  void listen(server_response& reply);
  void unlisten(server_response& reply) noexcept;
  /// Ends the session and all its streams, because the client ended it or must be disconnected.
  void end(error why) noexcept;
  [[nodiscard]] bool ended() const noexcept { return ended_; }

  /// The revision negotiated by `initialize`; empty before.
  [[nodiscard]] const std::string& revision() const noexcept { return revision_; }

 private:
  [[nodiscard]] server_response* response_for(std::string_view id) const noexcept;
  [[nodiscard]] server_response* stream_for(const outgoing_message& message) const noexcept;
  void send_unrelated(const outgoing_message& message);
  task<result<void>> until_uncrowded(send_backlog& level);

  http_server_channel_limits limits_;
  send_backlog backlog_;
  scanner scanner_;
  receiver* to_ = nullptr;
  bool ended_ = false;
  event opened_;  // set when opened, or when ended_
  std::string revision_;
  std::vector<server_response*> responses_;
  std::map<std::string, server_response*, std::less<>> awaited_;  // by the ids of the requests they answer
  std::map<std::int64_t, server_response*> sent_requests_;        // by the id of our requests that were sent on them
  server_response* listening_stream_ = nullptr;
  std::deque<std::string> unsent_;
  std::size_t unsent_bytes_ = 0;
};

}  // namespace hawser

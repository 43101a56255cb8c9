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

#include "../transports/channel.hpp"
#include "../transports/scanner.hpp"
#include "http_reply.hpp"

namespace hawser {

struct exchange_limits {
  /// The limit for bytes that the client has not read. Above it, notifications are dropped; for responses, the sender
  /// must check has_room() first.
  std::size_t max_unread = max_unsent;
  /// How long a response is held back because the client has much unread data in its other sessions. The wait for
  /// unread data in this session has no limit: a client that reads nothing is disconnected.
  duration unread_patience = std::chrono::seconds{2};
};

class exchange_channel final : public channel {
 public:
  /// `of_client`: the counter of the client's unread bytes in all its sessions; bytes of this channel are counted
  /// there, too.
  explicit exchange_channel(exchange_limits limits = {}, std::shared_ptr<unread_bytes> of_client = nullptr);
  ~exchange_channel() override;

  task<result<void>> open(receiver& to) override;
  std::size_t send(const outgoing& message) override;
  [[nodiscard]] std::size_t queued() const noexcept override { return unread_.bytes(); }
  task<result<void>> drained() override;
  /// Counts only the stream that the message will go to: a client that does not read one stream loses nothing on the
  /// others.
  [[nodiscard]] std::size_t queued_before(const outgoing& message) const noexcept override;
  [[nodiscard]] bool has_room(std::size_t bytes) const noexcept override { return unread_.has_room(bytes); }
  [[nodiscard]] bool crowded() const noexcept override;
  task<result<void>> uncrowded() override;
  void cancel(std::int64_t request, std::string_view reason) noexcept override;
  void negotiated(const peer_info& info) override { revision_ = info.revision; }
  task<result<void>> close() override;

  /// Completes when messages can be delivered, or with an error if the channel was closed first.
  task<result<void>> opened();
  /// Delivers one posted message. It must be valid JSON, checked by a scanner.
  void deliver(std::string_view message);
  /// Routes messages that belong to the request ids `reply` expects to `reply`, until detach(). detach() drops
  /// whatever `reply` has not sent yet.
  void attach(http_reply& reply);
  void detach(http_reply& reply) noexcept;
  /// Whether a response to this id is still expected.
  [[nodiscard]] bool awaits(std::string_view id) const noexcept { return reply_for(id) != nullptr; }
  /// Sends messages that belong to no request to `reply`, starting with those queued so far. Ends the previous
  /// listening stream, if any.
  void listen(http_reply& reply);
  void unlisten(http_reply& reply) noexcept;
  /// Ends the session and all its streams, because the client ended it or must be disconnected.
  void end(error why) noexcept;
  [[nodiscard]] bool ended() const noexcept { return told_; }

  /// The revision negotiated by `initialize`; empty before.
  [[nodiscard]] const std::string& revision() const noexcept { return revision_; }

 private:
  [[nodiscard]] http_reply* reply_for(std::string_view id) const noexcept;
  [[nodiscard]] http_reply* way_of(const outgoing& message) const noexcept;
  void say_unasked(const outgoing& message);
  task<result<void>> until_uncrowded(unread_bytes& level);

  exchange_limits limits_;
  unread_bytes unread_;
  scanner scanner_;
  receiver* to_ = nullptr;
  bool told_ = false;
  event opened_;  // set when opened, or when told_
  std::string revision_;
  std::vector<http_reply*> replies_;
  std::map<std::string, http_reply*, std::less<>> awaited_;  // by the ids of the requests they answer
  std::map<std::int64_t, http_reply*> asked_;                // by the id of our requests that were sent on them
  http_reply* listening_ = nullptr;
  std::deque<std::string> unsaid_;
  std::size_t unsaid_bytes_ = 0;
};

}  // namespace hawser

// SPDX-License-Identifier: MIT
// `channel` carries complete JSON-RPC messages to and from one MCP server; `receiver` gets the incoming ones. Every
// transport implements `channel`, and an embedder's own transport does too.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "../../runtime/async/task.hpp"
#include "message.hpp"

namespace hawser {

/// The result of negotiation, as far as a channel needs it.
struct peer_info {
  std::string revision;  ///< as in protocol::revision
};

/// Implemented by `peer`. Called on the loop thread, from inside the loop; no callback may destroy the channel.
class receiver {
 public:
  virtual void on_message(const message_view& message) noexcept = 0;
  /// This outgoing request will not be answered; no other request is affected. `why.executed` says what is known.
  virtual void on_request_failed(std::int64_t request, error why) noexcept = 0;
  /// The server no longer knows the session: negotiate again.
  virtual void on_reset(error why) noexcept = 0;
  /// The last callback. Requests that are still unanswered may have been executed.
  virtual void on_closed(error why) noexcept = 0;

 protected:
  ~receiver() = default;
};

/// Limit for unsent bytes on one channel. Beyond it, messages that can be refused are refused, and others are dropped.
inline constexpr std::size_t max_unsent = std::size_t{32} << 20;

/// If a method of an embedder's channel throws, the connection ends with an error. The noexcept methods must not throw.
class channel {
 public:
  channel() = default;
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;
  virtual ~channel() = default;

  /// Returns when the channel is ready to send; this does not mean that the server speaks MCP. `to` must outlive
  /// close().
  virtual task<result<void>> open(receiver& to) = 0;
  /// Queues a complete message and never waits; returns what queued() would return. After the channel has closed,
  /// messages are dropped; the receiver has been notified by then.
  virtual std::size_t send(const outgoing_message& message) = 0;
  /// Bytes that were sent but not yet accepted by the kernel.
  [[nodiscard]] virtual std::size_t queued() const noexcept = 0;
  /// Waits until the kernel has accepted everything: back pressure. Unbounded.
  virtual task<result<void>> drained() = 0;
  /// How many of the queued() bytes would be sent before this message.
  [[nodiscard]] virtual std::size_t queued_before(const outgoing_message& /*message*/) const noexcept {
    return queued();
  }
  /// Whether a response of this size may be queued in addition to what is queued already. If not, an error response is
  /// sent instead. An empty queue accepts a response of any size.
  [[nodiscard]] virtual bool has_room(std::size_t bytes) const noexcept {
    return queued() == 0 || bytes <= max_unsent - std::min(queued(), max_unsent);
  }
  /// Whether so much is queued that no further response should be produced yet …
  [[nodiscard]] virtual bool congested() const noexcept { return queued() > max_unsent / 4; }
  /// … and the wait until less is queued; an error if the channel has closed. Unbounded.
  virtual task<result<void>> until_uncongested() { return drained(); }
  /// Withdraws an abandoned request. True: nothing of it has been sent, and nothing will be. False: some of it may have
  /// been sent, or this channel cannot tell; then cancel() notifies the server.
  virtual bool withdraw(std::int64_t /*request*/) noexcept { return false; }
  /// The response is no longer wanted: notifies the server as this transport and revision require, best effort.
  virtual void cancel(std::int64_t request, std::string_view reason) noexcept = 0;
  /// The same without notifying the server. Releases what the request holds here, such as a connection.
  virtual void release(std::int64_t /*request*/) noexcept {}
  virtual void negotiated(const peer_info& info) = 0;
  /// Whether each message is a separate HTTP request: its header fields are sent, it can fail on its own, and silence
  /// may be a network problem that says nothing about the server.
  [[nodiscard]] virtual bool is_http() const noexcept { return false; }
  /// No traffic is expected for a while: memory that is kept for speed may be released.
  virtual void trim() noexcept {}
  /// Completes when all OS resources are released; a stop does not shorten it. Idempotent. A channel that was opened
  /// must be closed before it is destroyed.
  virtual task<result<void>> close() = 0;
};

}  // namespace hawser

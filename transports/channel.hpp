// SPDX-License-Identifier: MIT
// A stream of whole messages to one MCP server, and who receives them: the seam at which transports are exchanged. An
// embedder's own transport implements `channel`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "../runtime/task.hpp"
#include "message.hpp"

namespace hawser {

/// What the two sides have agreed on, as far as a channel cares.
struct peer_info {
  std::string revision;  ///< as in protocol::revision
};

/// Implemented by `peer`. Called on the loop thread, from inside the loop; none of it may destroy the channel.
class receiver {
 public:
  virtual void on_message(const message_view& message) noexcept = 0;
  /// This request of ours will not be answered, and no other is concerned; `why.executed` says what is known.
  virtual void on_request_failed(std::int64_t request, error why) noexcept = 0;
  /// The server forgot us: negotiate again.
  virtual void on_reset(error why) noexcept = 0;
  /// The last call. Requests of ours that were not answered may have been executed.
  virtual void on_closed(error why) noexcept = 0;

 protected:
  ~receiver() = default;
};

/// Bytes that may wait to be sent over one channel. Beyond it, what can be refused is refused, and the rest dropped.
inline constexpr std::size_t max_unsent = std::size_t{32} << 20;

/// Where a method of an embedder's channel throws, the connection ends with an error; those that are noexcept must not.
class channel {
 public:
  channel() = default;
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;
  virtual ~channel() = default;

  /// Ready to send when it returns; whether anybody understands us is not known then. `to` outlives close().
  virtual task<result<void>> open(receiver& to) = 0;
  /// Takes a whole message and never waits; says what queued() would say. After the end it drops it; the receiver has
  /// been told.
  virtual std::size_t send(const outgoing& message) = 0;
  /// Bytes that were sent and that the system has not taken yet.
  [[nodiscard]] virtual std::size_t queued() const noexcept = 0;
  /// Waits until the system has taken everything: back pressure. Unbounded.
  virtual task<result<void>> drained() = 0;
  /// Of queued(), what leaves before this message would.
  [[nodiscard]] virtual std::size_t queued_before(const outgoing& /*message*/) const noexcept { return queued(); }
  /// Whether an answer of so many bytes may wait beside what waits already. Where not, an error is sent instead. An
  /// answer that waits alone may be of any size.
  [[nodiscard]] virtual bool has_room(std::size_t bytes) const noexcept {
    return queued() == 0 || bytes <= max_unsent - std::min(queued(), max_unsent);
  }
  /// Whether so much waits that no other answer should be made yet …
  [[nodiscard]] virtual bool crowded() const noexcept { return queued() > max_unsent / 4; }
  /// … and waits until less does; an error where the channel has ended. Unbounded.
  virtual task<result<void>> uncrowded() { return drained(); }
  /// Takes back a request that was given up. True: nothing of it has left, and nothing will. False: some of it may have
  /// left, or this channel cannot say; then cancel() tells the server.
  virtual bool withdraw(std::int64_t /*request*/) noexcept { return false; }
  /// Nobody waits for the answer any more: the server is told in this transport's and revision's way, at best effort.
  virtual void cancel(std::int64_t request, std::string_view reason) noexcept = 0;
  /// The same, but the server is not told. What the request holds here, such as a connection, is released.
  virtual void release(std::int64_t /*request*/) noexcept {}
  virtual void negotiated(const peer_info& info) = 0;
  /// Whether each request is one of HTTP: its header fields are carried, it fails by itself, and a silence is one of
  /// the network's, which says nothing about the server.
  [[nodiscard]] virtual bool is_http() const noexcept { return false; }
  /// Nothing is expected for a while: memory that is kept for speed may be given back.
  virtual void rest() noexcept {}
  /// Completes when everything the system gave is given back; not shortened by a stop. Idempotent. A channel that was
  /// opened must be closed before it dies.
  virtual task<result<void>> close() = 0;
};

}  // namespace hawser

// SPDX-License-Identifier: MIT
// Passes the messages of HTTP responses to the receiver of an http_channel, and drops responses that arrive on a stream
// they do not belong to.
#pragma once

#include <cstdint>
#include <string_view>

#include "../../jsonrpc/message_reader.hpp"
#include "outbound_post.hpp"

namespace hawser::detail {

/// Hears of the responses on a stream that all requests share.
class shared_stream_listener {
 public:
  /// Called before the response is delivered. 0 if the id is not an integer.
  virtual void on_shared_response(std::int64_t request) noexcept = 0;

 protected:
  ~shared_stream_listener() = default;
};

class message_router {
 public:
  explicit message_router(const wire_limits& limits) : limits_(limits), scanner_(limits.json) {}

  /// Call before everything else. `to` outlives close().
  void open(receiver& to) noexcept { to_ = &to; }
  /// From now on nothing is delivered.
  void close() noexcept { closed_ = true; }
  [[nodiscard]] bool closed() const noexcept { return closed_; }

  void accept_batches(bool yes) noexcept { accepts_batches_ = yes; }
  /// From now on a response is accepted on any stream (HTTP+SSE, 2024-11-05).
  void share_stream(shared_stream_listener& listener) noexcept { shared_ = &listener; }
  [[nodiscard]] bool stream_is_shared() const noexcept { return shared_ != nullptr; }

  /// Delivers a message, or those of a batch, from the stream of the request `post`; null: from a stream that belongs
  /// to no request. `storage`, if not null, holds the bytes, and its memory may be moved to the receiver.
  void deliver(std::string_view bytes, byte_buffer* storage, outbound_post* post);
  /// Delivers the message only if it is the response to this request. Otherwise nothing changes, and it returns false.
  bool deliver_response(byte_buffer& body, outbound_post& post);

  /// Responses that were dropped.
  [[nodiscard]] std::uint64_t misrouted_responses() const noexcept { return misrouted_responses_; }

 private:
  void deliver_batch(std::string_view bytes, outbound_post* post);

  wire_limits limits_;
  scanner scanner_;
  receiver* to_ = nullptr;
  shared_stream_listener* shared_ = nullptr;
  bool accepts_batches_ = false;
  bool closed_ = false;
  std::uint64_t misrouted_responses_ = 0;
};

}  // namespace hawser::detail

// SPDX-License-Identifier: MIT
// Reads the events of one logical SSE stream, across all connections that it takes, and passes their messages on.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "../../http/client/http_client.hpp"
#include "../../http/sse_parser.hpp"
#include "message_router.hpp"

namespace hawser::detail {

/// The ids of the most recent events in a sorted set: comparing each event with all of them would cost many times what
/// receiving it does. Not a hash set, because a server could choose ids that collide.
class recent_event_ids {
 public:
  static constexpr std::size_t capacity = 256;

  /// False: the id is already in the set.
  bool add(std::string_view id);

 private:
  std::set<std::string, std::less<>> ids_;
  std::deque<const std::string*> in_order_;
};

class event_reader final : public sse_listener {
 public:
  /// `post`: the request that the stream responds to; null: none. The router and the post outlive this object.
  event_reader(message_router& router, const wire_limits& limits, outbound_post* post)
      : router_(router),
        post_(post),
        max_message_(limits.max_message),
        size_advice_(limits.size_advice),
        parser_(max_message_) {}

  result<void> feed(std::string_view bytes);
  /// Reads until the stream ends or has delivered the response it exists for.
  task<result<void>> read(client_response& response);
  /// Resets the parser: the next connection starts with a complete event.
  void reconnected();

  /// Nobody waits for more: the response has arrived, or the request is cancelled.
  [[nodiscard]] bool answered() const noexcept {
    return post_ != nullptr && (post_->answered || post_->handle.cancelled());
  }
  /// Whether this connection has delivered a message.
  [[nodiscard]] bool productive() const noexcept { return productive_; }
  /// The event id to resume from; empty if the server gave none, or one that is not a valid header field value.
  [[nodiscard]] std::string position() const;
  /// The reconnection delay that the server asked for, if it did.
  [[nodiscard]] std::optional<duration> retry() const noexcept { return retry_; }
  /// The data of the first `endpoint` event (HTTP+SSE, 2024-11-05).
  [[nodiscard]] const std::optional<std::string>& endpoint() const noexcept { return endpoint_; }

 private:
  void on_event(const sse_event& event) noexcept override;
  void on_retry(std::chrono::milliseconds pause) noexcept override;
  bool is_repeated(const sse_event& event);

  message_router& router_;
  outbound_post* post_;
  std::size_t max_message_;
  const char* size_advice_;
  sse_parser parser_;
  std::string last_id_;
  recent_event_ids ids_;
  std::optional<duration> retry_;
  std::optional<std::string> endpoint_;
  bool productive_ = false;
};

}  // namespace hawser::detail

// SPDX-License-Identifier: MIT
// For tests of the classes of streamable_http without a connection: a receiver that records, and posts that nobody
// sends.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../../transports/jsonrpc/channel.hpp"
#include "../../transports/streamable_http/detail/outbound_post.hpp"

namespace hawser::testing {

class message_recorder final : public receiver {
 public:
  void on_message(const message_view& message) noexcept override {
    messages.emplace_back(message.bytes);
    if (message.storage != nullptr) ++movable;
  }
  void on_request_failed(std::int64_t /*request*/, error /*why*/) noexcept override {}
  void on_reset(error /*why*/) noexcept override {}
  void on_closed(error /*why*/) noexcept override {}

  std::vector<std::string> messages;
  int movable = 0;
};

class ignoring_post_listener final : public detail::post_listener {
 public:
  void on_post_progress(detail::outbound_post& /*post*/) noexcept override {}
};

inline http_head response_head(int status, std::vector<http_field> fields = {}) {
  http_head head;
  head.status = status;
  head.fields = http_fields{std::move(fields)};
  return head;
}

}  // namespace hawser::testing

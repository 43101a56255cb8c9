// SPDX-License-Identifier: MIT
// HTTP+SSE, the transport of 2024-11-05: one stream carries all messages of the server, and its first event names the
// endpoint for POSTs.
#pragma once

#include <cstdint>
#include <memory>

#include "../../../runtime/async/scope.hpp"
#include "event_reader.hpp"
#include "event_stream_source.hpp"
#include "message_router.hpp"
#include "post_table.hpp"
#include "response_errors.hpp"

namespace hawser::detail {

class sse_transport final : private shared_stream_listener {
 public:
  /// All of them outlive this object. `url` is that of the stream.
  sse_transport(event_stream_source& source, message_router& router, post_table& posts, const response_errors& errors,
                const wire_limits& limits, const http_url& url)
      : source_(source), router_(router), posts_(posts), errors_(errors), limits_(limits), url_(url) {}

  /// Opens the stream and returns the endpoint; from then on responses are accepted on the stream. `work` gets the
  /// coroutines that end POSTs; it is joined before this object is destroyed.
  task<result<http_url>> open(scope& work);
  [[nodiscard]] bool is_open() const noexcept { return work_ != nullptr; }
  /// Reads the stream to its end and returns why it ended. Call once, after open().
  task<error> run();

 private:
  void on_shared_response(std::int64_t request) noexcept override;
  static task<void> end_post(std::shared_ptr<outbound_post> post);

  event_stream_source& source_;
  message_router& router_;
  post_table& posts_;
  const response_errors& errors_;
  const wire_limits& limits_;
  const http_url& url_;
  scope* work_ = nullptr;  // null: not open
  std::unique_ptr<client_response> response_;
  std::unique_ptr<event_reader> events_;
};

}  // namespace hawser::detail

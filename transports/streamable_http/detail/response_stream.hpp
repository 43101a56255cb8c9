// SPDX-License-Identifier: MIT
// Follows a response that is an SSE stream until it has delivered the response message, over as many connections as
// that takes: legacy servers may let a stream be resumed.
#pragma once

#include "event_stream_source.hpp"
#include "message_router.hpp"

namespace hawser::detail {

class response_stream {
 public:
  /// All of them outlive this object.
  response_stream(event_stream_source& source, message_router& router, const session_headers& headers,
                  const wire_limits& limits)
      : source_(source), router_(router), headers_(headers), limits_(limits) {}

  /// Returns when the request is answered, or cancelled; otherwise the error says why it will not be.
  task<result<void>> follow(outbound_post& post, client_response response);

 private:
  event_stream_source& source_;
  message_router& router_;
  const session_headers& headers_;
  const wire_limits& limits_;
};

}  // namespace hawser::detail

// SPDX-License-Identifier: MIT
// Opens the SSE streams that a server offers to a GET: for its own messages, for the resumption of a response, and as
// the single stream of HTTP+SSE (2024-11-05).
#pragma once

#include <string>

#include "authorized_client.hpp"
#include "session_headers.hpp"

namespace hawser::detail {

class event_stream_source {
 public:
  /// All of them outlive this object.
  event_stream_source(authorized_client& client, const session_headers& headers, const http_url& url)
      : client_(client), headers_(headers), url_(url) {}

  /// `last_event`: the event to resume after; empty: none. A handle means that a request waits for the stream, so that
  /// its silence is not limited here. errc::protocol, with the status, means that the server will never offer one.
  task<result<client_response>> open(std::string last_event, request_handle* handle);

 private:
  authorized_client& client_;
  const session_headers& headers_;
  const http_url& url_;
};

}  // namespace hawser::detail

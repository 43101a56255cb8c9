// SPDX-License-Identifier: MIT
// Sends one message by POST and interprets the response: a JSON message, a stream of events, or an error. What concerns
// more than this one message is returned to the channel.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "authorized_client.hpp"
#include "message_router.hpp"
#include "response_errors.hpp"
#include "response_stream.hpp"
#include "session_headers.hpp"
#include "unsent_bytes.hpp"

namespace hawser::detail {

/// How an exchange ended.
struct post_outcome {
  enum class kind : std::uint8_t {
    answered,      ///< the response to a request was delivered, or will be on the shared stream
    accepted,      ///< a notification or a response of ours, with a 2xx status
    failed,        ///< `why`
    session_lost,  ///< `why`: the server does not know the session that the request names
    no_endpoint,   ///< `why`: `initialize` was refused in a way that a server of HTTP+SSE (2024-11-05) would use
  };
  kind type = kind::answered;
  error why{};
};

class post_exchange {
 public:
  using busy_callback = std::function<void(std::string_view method, int status, duration pause)>;

  struct parts {
    authorized_client& client;
    message_router& router;
    response_errors& errors;
    response_stream& stream;
    session_headers& headers;
    unsent_bytes& unsent;
  };
  /// What `parts`, the limits and the endpoint refer to outlives this object. `on_busy` is called before the delay that
  /// a 429 or 503 response asks for; may be empty.
  post_exchange(const parts& used, const wire_limits& limits, const http_url& endpoint, duration post_timeout,
                busy_callback on_busy)
      : parts_(used), limits_(limits), endpoint_(endpoint), post_timeout_(post_timeout), on_busy_(std::move(on_busy)) {}

  /// Continues a request that was sent without a coroutine.
  task<post_outcome> run(outbound_post& post);

 private:
  task<result<void>> handle_success(outbound_post& post, client_response response);
  task<post_outcome> handle_error_status(outbound_post& post, client_response response);
  task<result<void>> read_json_body(outbound_post& post, client_response& response);

  parts parts_;
  const wire_limits& limits_;
  const http_url& endpoint_;
  duration post_timeout_;
  busy_callback on_busy_;
};

}  // namespace hawser::detail

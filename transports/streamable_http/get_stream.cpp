// SPDX-License-Identifier: MIT
#include "detail/get_stream.hpp"

#include <algorithm>

#include "../../runtime/async/detail/wait_for.hpp"
#include "../../runtime/async/sleep.hpp"
#include "../../runtime/async/timeout.hpp"
#include "../http/retry_after.hpp"
#include "../jsonrpc/protocol.hpp"
#include "detail/event_reader.hpp"

namespace hawser::detail {

namespace {

// Time for the stream to start. Some servers send no response head before their first message on it.
constexpr duration get_stream_timeout = std::chrono::milliseconds{300};

}  // namespace

task<bool> get_stream::run() {
  event_reader events{router_, limits_, nullptr};
  bool offered = false;  // the server has opened this stream before in this session
  for (int idle = 0; !router_.closed();) {
    auto response = co_await source_.open(events.position(), nullptr);
    state_ = state::settled;
    settled_.set();
    if (response) {
      offered = true;
      auto read = co_await events.read(*response);
      const bool ended = !read && (read.error().code == errc::cancelled || read.error().code == errc::too_large);
      if (ended) co_return false;
    } else if (response.error().native == 404 && offered && headers_.has_session()) {
      const bool lost = co_await session_is_lost();
      if (lost) co_return true;
    } else if (response.error().code == errc::protocol || response.error().code == errc::cancelled) {
      co_return false;  // not offered
    }
    idle = events.productive() ? 1 : idle + 1;
    // The server's `retry` value applies to a stream that delivers messages. A stream that keeps ending without any is
    // reopened less and less often.
    const duration usual = reconnect_pause(idle);
    const duration requested = events.retry().value_or(usual);
    auto waited = co_await sleep_for(idle > 1 ? std::max(usual * (idle > 6 ? 5 : 1), requested) : requested);
    if (!waited) co_return false;
    events.reconnected();
  }
  co_return false;
}

task<void> get_stream::wait_until_open() {
  auto settled = co_await with_timeout(get_stream_timeout, wait_for(settled_));
  ignore(settled, "a stop is seen by the caller, and a server that is slow with its stream is asked all the same");
  state_ = state::settled;
}

// Session management: a 404 means that the session has expired, or that the server does not accept GET. A ping that
// names the session tells them apart. Only a 404 to the ping counts: a server that cannot be reached may come back.
task<bool> get_stream::session_is_lost() {
  const std::string fields = headers_.ping_fields();
  const client_request ping{.to = &endpoint_,
                            .fields = fields,
                            .body = R"({"jsonrpc":"2.0","id":"session-check","method":"ping"})",
                            .replayable = true,
                            .urgent = true,
                            .timeout = post_timeout_};
  auto response = co_await client_.fetch(ping, protocol::method::ping);
  if (!response) co_return false;
  const int status = response->head().status;
  std::move(*response).discard_rest();
  co_return status == 404;
}

}  // namespace hawser::detail

// SPDX-License-Identifier: MIT
#include "detail/response_stream.hpp"

#include <optional>

#include "../http/retry_after.hpp"
#include "../jsonrpc/protocol.hpp"
#include "detail/event_reader.hpp"

namespace hawser::detail {

namespace {

constexpr int max_failed_resumptions = 10;  // in a row

}  // namespace

task<result<void>> response_stream::follow(outbound_post& post, client_response response) {
  event_reader events{router_, limits_, &post};
  std::optional<client_response> connection{std::move(response)};
  error why{.code = errc::closed, .what = "the stream ended before the answer", .executed = execution::unknown};
  // A server may end each connection and have the client poll for the response (SEP-1699): as long as it answers the
  // GET with a stream, only the deadlines of the call end that.
  int failed = 0;
  for (int idle = 0;;) {
    if (connection) {
      failed = 0;
      auto read = co_await events.read(*connection);
      if (events.answered()) {
        // If the server ends the stream after the response, the connection can be reused; if it does not, the
        // connection must not keep its slot.
        std::move(*connection).discard_rest();
        co_return result<void>{};
      }
      if (!read) {
        why = read.error();
        why.executed = execution::unknown;
        if (why.code == errc::cancelled || why.code == errc::too_large) co_return why;
      }
      connection.reset();
    }
    // Resumability: only with an event id to resume from. In the modern era a broken stream is not resumed.
    std::string position = events.position();
    idle = events.productive() ? 1 : idle + 1;
    if (position.empty() || protocol::modern(headers_.revision()) || failed > max_failed_resumptions) co_return why;
    auto waited = co_await post.pause(events.retry().value_or(reconnect_pause(idle)));
    if (!waited) co_return waited;
    events.reconnected();
    auto resumed = co_await source_.open(std::move(position), &post.handle);
    if (post.handle.cancelled()) co_return cancelled_error();
    if (!resumed) {
      ++failed;
      why = resumed.error();
      why.executed = execution::unknown;
      if (why.code == errc::cancelled || why.code == errc::protocol) co_return why;
      continue;
    }
    connection.emplace(*std::move(resumed));
  }
}

}  // namespace hawser::detail

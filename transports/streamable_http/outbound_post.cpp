// SPDX-License-Identifier: MIT
#include "detail/outbound_post.hpp"

#include "../../runtime/async/detail/wait_for.hpp"
#include "../../runtime/async/timeout.hpp"
#include "../jsonrpc/protocol.hpp"

namespace hawser::detail {

client_request outbound_post::request_to(const http_url& endpoint, duration post_timeout) noexcept {
  return {.to = &endpoint,
          .fields = fields,
          .credential_fields = used_credentials ? used_credentials->fields.reveal() : std::string_view{},
          .body = body,
          .replayable = replayable,
          .urgent = !request,  // such as a response that calls in all other slots wait for
          // A call has its own limits, and a user may be filling in a form. A subscription has none.
          .unlimited_silence = request && method != protocol::method::subscriptions_listen,
          .timeout = request ? duration::zero() : post_timeout,
          .max_redirects = replayable ? std::nullopt : std::optional{1},
          .handle = &handle,
          .check = check.get()};
}

void outbound_post::abandon() noexcept {
  handle.cancel();
  abandoned.set();
}

task<result<void>> outbound_post::pause(duration length) {
  auto ended_early = co_await with_timeout(length, wait_for(abandoned));
  if (ended_early || ended_early.error().code != errc::timed_out) co_return cancelled_error();
  co_return {};
}

void outbound_post::reset() noexcept {
  request.reset();
  replayable = names_session = answered = false;
  handle = {};
  check.reset();
  used_credentials.reset();
  abandoned.reset();
  ended.reset();
}

}  // namespace hawser::detail

// SPDX-License-Identifier: MIT
#include "detail/post_exchange.hpp"

#include <utility>

#include "../../runtime/async/timeout.hpp"
#include "../http/http_fields.hpp"
#include "../http/retry_after.hpp"
#include "../jsonrpc/protocol.hpp"

namespace hawser::detail {

namespace {

constexpr std::size_t max_error_body = std::size_t{256} * 1024;
constexpr int max_attempts = 3;
// For the body of an error response: it only adds detail to the error.
constexpr duration error_body_timeout = std::chrono::seconds{5};
// A request that a caller awaits is not delayed for longer than this: the caller gets the delay that the server asks
// for.
constexpr duration longest_retry_pause = std::chrono::seconds{10};

post_outcome failed(error why) { return {.type = post_outcome::kind::failed, .why = std::move(why)}; }

}  // namespace

task<post_outcome> post_exchange::run(outbound_post& post) {
  for (int attempt = 1;; ++attempt) {
    if (post.handle.cancelled() || parts_.router.closed()) co_return failed(cancelled_error());
    const client_request request = post.request_to(endpoint_, post_timeout_);
    auto response = co_await parts_.client.fetch(request, post.method, std::exchange(post.started, {}),
                                                 std::exchange(post.used_credentials, {}));
    // Requests without side effects are sent again after the delay that the server asks for. So are messages that
    // expect no response: notifications and our own responses. A call is not: 503 does not mean that it was not
    // executed, and after 429 the caller decides whether it is still wanted.
    const int status = response ? response->head().status : 0;
    const bool may_repeat = (status == 429 || status == 503) && (post.replayable || !post.request);
    const auto retry_after = may_repeat ? response->head().fields.find("Retry-After") : std::nullopt;
    const duration pause = retry_after ? retry_pause(*retry_after) : duration::zero();
    if (retry_after && attempt < max_attempts && (!post.request || pause <= longest_retry_pause)) {
      std::move(*response).discard_rest();
      if (post.request && on_busy_) on_busy_(post.method, status, pause);
      auto waited = co_await post.pause(pause);
      if (!waited) co_return failed(waited.error());
      continue;
    }
    parts_.unsent.mark_sent(post);
    if (!response) co_return failed(response.error());
    if (post.handle.cancelled()) co_return failed(cancelled_error());
    if (status < 200 || status >= 300) co_return co_await handle_error_status(post, *std::move(response));
    if (post.request && !parts_.router.stream_is_shared()) {
      auto handled = co_await handle_success(post, *std::move(response));
      if (!handled) co_return failed(handled.error());
      co_return post_outcome{};
    }
    // Only the head matters: the body may never end. The shared stream delivers responses.
    std::move(*response).discard_rest();
    co_return post_outcome{.type = post.request ? post_outcome::kind::answered : post_outcome::kind::accepted};
  }
}

task<result<void>> post_exchange::handle_success(outbound_post& post, client_response response) {
  const http_head& head = response.head();
  if (post.method == protocol::method::initialize && !parts_.headers.start_session(head))
    co_return error{.code = errc::protocol,
                    .what = "the server's session id is no text of visible ASCII characters up to 1 KiB",
                    .executed = execution::unknown};
  const auto encoding = head.fields.find("Content-Encoding");
  if (encoding && !equal_ignoring_case(*encoding, "identity")) co_return parts_.errors.unexpected_encoding(*encoding);
  if (has_media_type(head.fields, "text/event-stream"))
    co_return co_await parts_.stream.follow(post, std::move(response));
  co_return co_await read_json_body(post, response);
}

task<result<void>> post_exchange::read_json_body(outbound_post& post, client_response& response) {
  if (!has_media_type(response.head().fields, "application/json")) {
    auto text = co_await with_timeout(error_body_timeout, response.read_all(max_error_body));
    co_return parts_.errors.unexpected(response.head(), text ? text->view() : std::string_view{});
  }
  auto body = co_await response.read_all(limits_.max_message);
  if (!body) co_return body.error();
  if (body->empty()) co_return parts_.errors.unexpected(response.head(), body->view());
  parts_.router.deliver(body->view(), &*body, &post);
  if (post.answered) co_return {};
  // A server that sent something else may be one response behind: every later call would get the response to the
  // previous one.
  response.forbid_reuse();
  if (auto remote = parts_.errors.in_body(body->view(), post.request)) co_return *remote;
  co_return parts_.errors.unexpected(response.head(), body->view());
}

task<post_outcome> post_exchange::handle_error_status(outbound_post& post, client_response response) {
  auto body = co_await with_timeout(error_body_timeout, response.read_all(max_error_body));
  if (post.handle.cancelled()) co_return failed(cancelled_error());
  const http_head& head = response.head();
  // Session management: the server does not know the session that the request names, so nothing was executed.
  if (head.status == 404 && post.names_session) {
    error why{.code = errc::closed, .what = "the server has forgotten the session", .native = head.status};
    co_return post_outcome{.type = post_outcome::kind::session_lost, .why = std::move(why)};
  }
  error_response refused = parts_.errors.of_status(head, body ? body->view() : std::string_view{}, post.request);
  // Backwards compatibility: a URL that accepts no POST may be the stream of HTTP+SSE.
  const bool accepts_no_post = head.status == 400 || head.status == 404 || head.status == 405;
  if (accepts_no_post && !refused.is_json_rpc && post.method == protocol::method::initialize)
    co_return post_outcome{.type = post_outcome::kind::no_endpoint, .why = std::move(refused.why)};
  co_return failed(std::move(refused.why));
}

}  // namespace hawser::detail

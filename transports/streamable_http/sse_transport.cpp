// SPDX-License-Identifier: MIT
#include "detail/sse_transport.hpp"

#include <utility>

#include "../../runtime/async/detail/wait_for.hpp"
#include "../../runtime/async/timeout.hpp"

namespace hawser::detail {

namespace {

constexpr duration endpoint_timeout = std::chrono::seconds{15};
// For the HTTP response to a POST whose call was answered on the stream.
constexpr duration post_end_timeout = std::chrono::milliseconds{500};

}  // namespace

task<result<http_url>> sse_transport::open(scope& work) {
  auto opened = co_await with_timeout(endpoint_timeout, source_.open({}, nullptr));
  if (!opened && opened.error().code == errc::timed_out) co_return prefixed("the stream of events", opened.error());
  if (!opened) {
    error why = opened.error();
    if (why.native == 401) co_return errors_.unauthorized(std::move(why));
    if (why.native == 403) co_return errors_.forbidden(std::move(why));
    if (why.code == errc::protocol) why.what += "; check the path of its url, often /sse";
    co_return why;
  }
  auto response = std::make_unique<client_response>(*std::move(opened));
  auto events = std::make_unique<event_reader>(router_, limits_, nullptr);
  while (!events->endpoint()) {
    auto bytes = co_await with_timeout(endpoint_timeout, response->read_some());
    if (!bytes) co_return prefixed("the stream of events", bytes.error());
    if (bytes->empty())
      co_return error{.code = errc::protocol, .what = "the stream of events ended before it named its endpoint"};
    auto read = events->feed(*bytes);
    if (!read) co_return read.error();
  }
  auto endpoint = url_.resolve(*events->endpoint());
  if (!endpoint) co_return prefixed("the endpoint that the server names", endpoint.error());
  if (!same_origin(*endpoint, url_))
    co_return error{.code = errc::protocol,
                    .what = "the server names an endpoint at another origin, which is refused: " + endpoint->origin()};
  response_ = std::move(response);
  events_ = std::move(events);
  work_ = &work;
  router_.share_stream(*this);
  co_return endpoint;
}

task<error> sse_transport::run() {
  auto read = co_await events_->read(*response_);
  response_.reset();
  if (read) co_return error{.code = errc::closed, .what = "the server ended its stream of events"};
  if (read.error().code == errc::cancelled) co_return read.error();
  co_return error{.code = errc::closed, .what = "the stream of events broke: " + read.error().what};
}

// The call has its response: its POST gets a short time to end normally and is then aborted.
void sse_transport::on_shared_response(std::int64_t request) noexcept {
  auto post = posts_.find(request);
  if (post == nullptr || std::exchange(post->answered, true)) return;
  work_->spawn(end_post(std::move(post)));
}

task<void> sse_transport::end_post(std::shared_ptr<outbound_post> post) {
  auto ended = co_await with_timeout(post_end_timeout, wait_for(post->ended));
  if (ended || ended.error().code != errc::timed_out) co_return;
  post->abandon();
}

}  // namespace hawser::detail

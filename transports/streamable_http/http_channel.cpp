// SPDX-License-Identifier: MIT
#include "http_channel.hpp"

#include <algorithm>
#include <array>

#include "../../runtime/async/detail/wait_for.hpp"
#include "../../runtime/async/timeout.hpp"
#include "../jsonrpc/outgoing_lines.hpp"
#include "../jsonrpc/protocol_table.hpp"
#include "detail/authorized_client.hpp"
#include "detail/event_stream_source.hpp"
#include "detail/fast_path.hpp"
#include "detail/get_stream.hpp"
#include "detail/message_router.hpp"
#include "detail/post_exchange.hpp"
#include "detail/post_table.hpp"
#include "detail/response_errors.hpp"
#include "detail/response_stream.hpp"
#include "detail/session_headers.hpp"
#include "detail/sse_transport.hpp"
#include "detail/unsent_bytes.hpp"

namespace hawser {

namespace {

constexpr duration delete_timeout = std::chrono::seconds{2};

// A server may work for a long time, and its stream may be silent for longer: calls have their own deadlines, and TCP
// keepalive probes detect a dead connection.
http_channel_options without_silence_timeout(http_channel_options options) {
  options.client.timeouts.silence = duration::zero();
  return options;
}

}  // namespace

// In the order in which they use each other. The options are those of the channel, which live as long.
struct http_channel::components final : detail::post_listener {
  components(http_channel& owner, resolver& names, const http_channel_options& options)
      : channel(owner),
        client(owner.loop_, names, options.client),
        requests(client, options.login, options.credential_names, owner.loop_.log()),
        endpoint(options.to),
        headers(options.fields, options.limits.json),
        router(options.limits),
        errors(headers, owner.loop_.redactions(), options.credential_names, options.limits.json),
        posts(*this),
        streams(requests, headers, options.to),
        response_streams(streams, router, headers, options.limits),
        server_messages(streams, requests, router, headers, options.limits, endpoint, options.post_timeout),
        sse(streams, router, posts, errors, options.limits, options.to),
        exchanges({.client = requests,
                   .router = router,
                   .errors = errors,
                   .stream = response_streams,
                   .headers = headers,
                   .unsent = unsent},
                  options.limits, endpoint, options.post_timeout, options.on_busy),
        fast({.connections = client, .client = requests, .router = router, .posts = posts, .unsent = unsent}, endpoint,
             options.limits.max_message) {}

  void on_post_progress(detail::outbound_post& post) noexcept override { channel.on_post_progress(post); }

  http_channel& channel;
  http_client client;
  detail::authorized_client requests;
  http_url endpoint;  // for POSTs
  detail::session_headers headers;
  detail::message_router router;
  detail::response_errors errors;
  detail::post_table posts;
  detail::unsent_bytes unsent;
  detail::event_stream_source streams;
  detail::response_stream response_streams;
  detail::get_stream server_messages;
  detail::sse_transport sse;
  detail::post_exchange exchanges;
  detail::fast_path fast;
};

http_channel::http_channel(loop& event_loop, resolver& names, http_channel_options options)
    : loop_(event_loop),
      options_(without_silence_timeout(std::move(options))),
      components_(std::make_unique<components>(*this, names, options_)) {
  initialized_.set();
}

http_channel::~http_channel() { detail::require(!work_, "a channel died before it was closed"); }

std::size_t http_channel::queued() const noexcept { return components_->unsent.total(); }

std::uint64_t http_channel::misrouted_responses() const noexcept { return components_->router.misrouted_responses(); }

task<result<void>> http_channel::open(receiver& to) {
  const context where = co_await this_context();
  receiver_ = &to;
  components_->router.open(to);
  // Does not inherit the stop of the caller: close() ends it.
  work_ = std::make_unique<scope>(context{where.loop, nullptr});
  state_ = state::open;
  if (options_.type == http_channel_options::kind::sse) co_return co_await open_sse_transport();
  co_return {};
}

std::size_t http_channel::send(const outgoing_message& message) {
  if (state_ != state::open) return queued();
  std::string_view bytes = message.line;
  while (bytes.ends_with('\n')) bytes.remove_suffix(1);
  // A server that keeps sending requests and never accepts a response must not exhaust our memory.
  if (!message.request && unaccepted_ >= options_.max_unaccepted) {
    note_dropped_post();
    return queued();
  }
  auto post = components_->posts.make();
  post->body = bytes;
  post->request = message.request;
  post->check = message.check;
  components_->headers.describe(*post, message, bytes);
  post->replayable = post->method != protocol::method::tools_call && protocol::is_repeatable(post->method);
  if (post->request) components_->posts.add(post);
  if (post->method == protocol::notification::initialized) {
    initialized_.reset();
    work_->spawn(limit_initialization(*this));
  }
  if (!post->request) ++unaccepted_;
  components_->unsent.add(*post);
  if (!try_fast_path(*post)) work_->spawn(run_post(*this, std::move(post)));
  return queued();
}

bool http_channel::try_fast_path(detail::outbound_post& post) {
  const bool waits_for_stream = components_->server_messages.opening() && !post.replayable;
  const bool usual = post.request && !components_->sse.is_open();
  if (!usual || !initialized_.is_set() || waits_for_stream || post.method == protocol::method::initialize) return false;
  return components_->fast.try_send(post);
}

void http_channel::on_post_progress(detail::outbound_post& post) noexcept {
  if (components_->fast.on_progress(post) == detail::fast_path::progress::unusual)
    work_->spawn(run_post(*this, post.shared_from_this()));
}

task<void> http_channel::run_post(http_channel& self, std::shared_ptr<detail::outbound_post> post) {
  components& parts = *self.components_;
  const bool announces = post->method == protocol::notification::initialized;
  // Lifecycle: nothing except notifications/initialized is sent until the server has accepted it or its timeout has
  // passed.
  if (!self.initialized_.is_set() && !announces && post->method != protocol::method::initialize) {
    auto waited = co_await self.initialized_.wait();
    ignore(waited, "a stop is seen by the exchange");
  }
  // While it works on a call, a server may send requests on the GET stream. Without that stream they would be lost.
  if (parts.server_messages.opening() && post->request && !post->replayable)
    co_await parts.server_messages.wait_until_open();
  using outcome_kind = detail::post_outcome::kind;
  auto outcome = co_await parts.exchanges.run(*post);
  const bool may_be_sse = self.options_.type == http_channel_options::kind::automatic && !parts.sse.is_open();
  if (outcome.type == outcome_kind::no_endpoint && may_be_sse) {
    auto opened = co_await self.open_sse_transport();
    if (opened) outcome = co_await parts.exchanges.run(*post);
  }
  parts.fast.drop(*post);  // if it was abandoned before the exchange took it over
  parts.unsent.mark_sent(*post);
  switch (outcome.type) {
    case outcome_kind::answered: break;
    case outcome_kind::accepted:
      if (announces) self.on_initialized();
      break;
    case outcome_kind::session_lost:
      self.fail(*post, outcome.why);
      self.on_session_lost(outcome.why);
      break;
    case outcome_kind::failed:
    case outcome_kind::no_endpoint: self.fail(*post, std::move(outcome.why)); break;
  }
  parts.posts.remove(*post);
  if (parts.sse.is_open()) post->ended.set();
  if (!post->request) --self.unaccepted_;
  if (self.state_ < state::closing) parts.posts.recycle(std::move(post));
  if (announces) self.initialized_.set();  // also if the notification was refused or lost
}

// The server has accepted notifications/initialized: releases waiting messages and opens the GET stream.
void http_channel::on_initialized() {
  initialized_.set();
  if (components_->sse.is_open() || components_->server_messages.started() || state_ != state::open) return;
  components_->server_messages.start();
  work_->spawn(run_get_stream(*this));
}

// Some servers never respond to notifications/initialized.
task<void> http_channel::limit_initialization(http_channel& self) {
  auto waited = co_await with_timeout(self.options_.initialized_timeout, detail::wait_for(self.initialized_));
  if (!waited && waited.error().code == errc::timed_out) self.on_initialized();
}

task<void> http_channel::run_get_stream(http_channel& self) {
  const bool session_lost = co_await self.components_->server_messages.run();
  if (session_lost)
    self.on_session_lost(error{.code = errc::closed, .what = "the server has forgotten the session", .native = 404});
}

task<result<void>> http_channel::open_sse_transport() {
  auto endpoint = co_await components_->sse.open(*work_);
  if (!endpoint) co_return endpoint.error();
  components_->endpoint = *std::move(endpoint);
  work_->spawn(run_sse_transport(*this));
  co_return result<void>{};
}

task<void> http_channel::run_sse_transport(http_channel& self) {
  error why = co_await self.components_->sse.run();
  if (why.code != errc::cancelled) self.on_ended(std::move(why));
}

// Repeated events are logged at their 1st, 2nd, 4th, 8th … occurrence.
void http_channel::note_dropped_post() {
  ++dropped_posts_;
  if ((dropped_posts_ & (dropped_posts_ - 1)) != 0) return;
  loop_.log().write(log_level::debug, "http",
                    components_->endpoint.origin() +
                        " does not accept our answers and notifications: " + std::to_string(options_.max_unaccepted) +
                        " of them wait, " + std::to_string(dropped_posts_) + " were dropped so far");
}

void http_channel::fail(detail::outbound_post& post, error why) {
  if (!post.request || post.handle.cancelled() || post.answered) {
    if (!post.handle.cancelled() && why.code != errc::cancelled)
      loop_.log().write(log_level::debug, "http",
                        "a message for " + components_->endpoint.origin() + " was not delivered: " + why.what);
    return;
  }
  post.answered = true;
  if (state_ == state::open && why.code != errc::cancelled) receiver_->on_request_failed(*post.request, std::move(why));
}

bool http_channel::withdraw(std::int64_t request) noexcept {
  const auto post = components_->posts.find(request);
  if (!post || post->handle.has_sent_bytes()) return false;
  release(request);
  return true;
}

void http_channel::release(std::int64_t request) noexcept {
  const auto post = components_->posts.find(request);  // keeps it alive while it is removed
  if (!post) return;
  components_->posts.remove(*post);
  post->abandon();
}

void http_channel::withdraw_all() noexcept {
  for (const auto& post : components_->posts.take_all()) post->abandon();
}

void http_channel::cancel(std::int64_t request, std::string_view reason) noexcept {
  const bool found = components_->posts.find(request) != nullptr;
  release(request);
  // Over the transport of 2024-11-05, a POST ends long before its call does.
  if (!found && !components_->sse.is_open()) return;
  // Cancellation: in the modern era, closing the stream cancels the request; in the legacy era it means nothing.
  const std::string& revision = components_->headers.revision();
  if (protocol::modern(revision) || revision.empty()) return;
  const std::string line = cancelled_line(request, reason);
  send({.line = line});
}

void http_channel::negotiated(const peer_info& info) {
  components_->headers.negotiated(info.revision);
  components_->router.accept_batches(protocol::has(protocol::feature::batches, info.revision));
}

void http_channel::trim() noexcept {
  components_->posts.trim();
  components_->client.trim();
}

task<result<void>> http_channel::drained() { return components_->unsent.drained(); }

// Session management: after a 404 for an existing session, the client must start a new one.
void http_channel::on_session_lost(const error& why) noexcept {
  if (state_ != state::open) return;
  components_->headers.forget_session();
  receiver_->on_reset(why);
  on_ended(why);
}

void http_channel::on_ended(error why) noexcept {
  if (state_ != state::open) return;
  state_ = state::ended;
  report_closed(std::move(why));
  // Every call has ended now. If the channel is being closed, close() ends their POSTs.
  if (state_ == state::ended) withdraw_all();
}

void http_channel::report_closed(error why) noexcept {
  components_->router.close();
  components_->unsent.close();
  receiver_->on_closed(std::move(why));
}

task<void> http_channel::delete_session() {
  const std::string fields = components_->headers.delete_fields();
  client_request request{.method = "DELETE", .to = &components_->endpoint, .fields = fields};
  auto deleted = co_await shield(delete_timeout, components_->requests.fetch(request, request.method));
  ignore(deleted, "a server that keeps the session forgets it by itself");
}

task<result<void>> http_channel::close() {
  if (state_ == state::unopened || state_ == state::closed) co_return {};
  if (state_ == state::closing) {
    auto done = co_await shield(std::chrono::hours{1}, detail::wait_for(closed_));
    co_return done;
  }
  const bool was_open = std::exchange(state_, state::closing) == state::open;
  if (was_open) report_closed(error{.code = errc::closed, .what = "the connection was closed"});
  work_->request_stop();
  // The stop ends the exchanges that a coroutine awaits.
  for (const auto& post : components_->posts.take_all()) components_->fast.drop(*post);
  initialized_.set();
  co_await work_->join();
  if (components_->headers.has_session() && !components_->sse.is_open()) co_await delete_session();
  co_await components_->client.close();
  work_.reset();
  state_ = state::closed;
  closed_.set();
  co_return {};
}

}  // namespace hawser

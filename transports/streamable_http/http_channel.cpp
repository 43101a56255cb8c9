// SPDX-License-Identifier: MIT
#include "http_channel.hpp"

#include <algorithm>
#include <array>

#include "../../runtime/async/detail/wait_for.hpp"
#include "../../runtime/async/timeout.hpp"
#include "../http/http_fields.hpp"
#include "../json/json_text.hpp"
#include "../jsonrpc/outgoing_lines.hpp"
#include "../jsonrpc/protocol.hpp"
#include "mcp_fields.hpp"

namespace hawser {

namespace {

constexpr duration delete_timeout = std::chrono::seconds{2};
// Time for the GET stream to start. Some servers send no response head before their first message on it.
constexpr duration get_stream_timeout = std::chrono::milliseconds{300};

// Automatic retries: requests without side effects may be sent twice.
bool is_replayable(std::string_view method) noexcept {
  namespace m = protocol::method;
  constexpr std::array harmless{m::initialize,  m::discover,       m::ping,
                                m::tools_list,  m::resources_list, m::resources_templates_list,
                                m::prompts_list};
  return std::find(harmless.begin(), harmless.end(), method) != harmless.end();
}

}  // namespace

namespace {

// A server may work for a long time, and its stream may be silent for longer: calls have their own deadlines, and TCP
// keepalive probes detect a dead connection.
http_channel_options without_silence_timeout(http_channel_options options) {
  options.client.timeouts.silence = duration::zero();
  return options;
}

}  // namespace

http_channel::http_channel(loop& home, resolver& names, http_channel_options options)
    : loop_(home),
      options_(without_silence_timeout(std::move(options))),
      client_(home, names, options_.client),
      scanner_(options_.limits.json),
      endpoint_(options_.to) {}

http_channel::~http_channel() { detail::require(!work_, "a channel died before it was closed"); }

task<result<void>> http_channel::open(receiver& to) {
  const context where = co_await this_context();
  to_ = &to;
  // Does not inherit the stop of the caller: close() ends it.
  work_ = std::make_unique<scope>(context{where.loop, nullptr});
  if (options_.type == http_channel_options::kind::sse) co_return co_await open_sse_transport();
  co_return {};
}

std::size_t http_channel::send(const outgoing_message& message) {
  if (closed_reported_ || !work_ || closing_) return queued_;
  std::string_view bytes = message.line;
  while (bytes.ends_with('\n')) bytes.remove_suffix(1);
  // A server that keeps sending requests and never accepts a response must not exhaust our memory.
  if (!message.request && unaccepted_ >= options_.max_unaccepted) {
    note_dropped_post();
    return queued_;
  }
  auto what = new_post();
  what->body = bytes;
  what->request = message.request;
  what->check = message.check;
  describe(*what, message, bytes);
  if (what->request) register_request(what);
  if (what->method == protocol::notification::initialized) {
    initializing_ = true;
    initialized_.reset();
    work_->spawn(limit_initialization(*this));
  }
  if (!what->request) ++unaccepted_;
  what->unsent = what->body.size();
  queued_ += what->unsent;
  if (!try_send_now(*what)) work_->spawn(run_post(*this, std::move(what)));
  return queued_;
}

void http_channel::describe(outbound_post& what, const outgoing_message& message, std::string_view bytes) {
  const bool in_session = !revision_.empty() && !protocol::modern(revision_);
  if (in_session && !message.method.empty() && message.method != protocol::method::initialize) {
    if (usual_fields_.empty()) usual_fields_ = fields_for(message, {.method = message.method});
    what.fields = usual_fields_;
    what.method = message.method;
    what.names_session = has_session_;
  } else {
    const message_view opened = scanner_.scan(bytes);
    what.fields = fields_for(message, opened);
    what.method = opened.method;
    what.names_session = has_session_ && what.fields.find(session_) != std::string::npos;
  }
  what.replayable = what.method != protocol::method::tools_call && is_replayable(what.method);
}

std::string http_channel::fields_for(const outgoing_message& message, const message_view& opened) const {
  constexpr std::string_view usual =
      "Accept: application/json, text/event-stream\r\nAccept-Encoding: identity\r\nContent-Type: application/json\r\n";
  std::string fields;
  fields.reserve(usual.size() + options_.fields.size() + session_.size() + message.fields.size() + 160);
  fields += usual;
  fields += options_.fields;
  const std::string_view meta = opened.params.empty() ? std::string_view{} : find_member(opened.params, "_meta");
  const auto version = text_of(meta.empty() ? meta : find_member(meta, protocol::meta::protocol_version));
  if (version && protocol::modern(*version)) {
    append_modern_fields(fields, *version, opened.method, opened.params);
    fields += message.fields;
  } else if (protocol::modern(revision_)) {
    append_modern_fields(fields, revision_, opened.method, opened.params);
  } else if (opened.method != protocol::method::initialize && !revision_.empty()) {
    append_field(fields, protocol::header::protocol_version, revision_);
    fields += session_;
  }
  return fields;
}

task<void> http_channel::run_post(http_channel& self, std::shared_ptr<outbound_post> what) {
  const bool announces = what->method == protocol::notification::initialized;
  // Lifecycle: nothing except notifications/initialized is sent until the server has accepted it or its timeout has
  // passed.
  if (self.initializing_ && !announces && what->method != protocol::method::initialize) {
    auto heard = co_await self.initialized_.wait();
    ignore(heard, "a stop is seen by the exchange");
  }
  // While it works on a call, a server may send requests on the GET stream. Without that stream they would be lost.
  if (self.get_stream_pending_ && what->request && !what->replayable) {
    auto there = co_await with_timeout(get_stream_timeout, detail::wait_for(self.get_stream_opened_));
    ignore(there, "a stop is seen by the exchange, and a server that is slow with its stream is asked all the same");
    self.get_stream_pending_ = false;  // wait only once
  }
  auto done = co_await self.exchange(*what);
  self.drop_fast_request(*what);  // if it was abandoned before the exchange took it over
  self.mark_sent(*what);
  if (!done) self.fail(*what, done.error());
  self.unregister_request(*what);
  if (self.mode_ == mode::sse) what->ended.set();
  if (!what->request) --self.unaccepted_;
  self.recycle(std::move(what));
  if (!announces) co_return;
  self.initializing_ = false;  // also if the notification was refused or lost
  self.initialized_.set();
}

// The server has accepted notifications/initialized: releases waiting messages and opens the GET stream.
void http_channel::on_initialized() {
  initializing_ = false;
  initialized_.set();
  if (mode_ != mode::streamable || listening_ || closing_ || closed_reported_) return;
  listening_ = true;
  get_stream_pending_ = true;
  get_stream_opened_.reset();
  work_->spawn(run_get_stream(*this));
}

// Some servers never respond to notifications/initialized.
task<void> http_channel::limit_initialization(http_channel& self) {
  auto heard = co_await with_timeout(self.options_.initialized_timeout, detail::wait_for(self.initialized_));
  if (!heard && heard.error().code == errc::timed_out) self.on_initialized();
}

// Repeated events are logged at their 1st, 2nd, 4th, 8th … occurrence.
void http_channel::note_dropped_post() {
  ++dropped_posts_;
  if ((dropped_posts_ & (dropped_posts_ - 1)) != 0) return;
  loop_.log().write(log_level::debug, "http",
                    endpoint_.origin() +
                        " does not accept our answers and notifications: " + std::to_string(options_.max_unaccepted) +
                        " of them wait, " + std::to_string(dropped_posts_) + " were dropped so far");
}

void http_channel::mark_sent(outbound_post& what) noexcept {
  queued_ -= std::exchange(what.unsent, 0);
  if (queued_ == 0) all_sent_.set();
}

void http_channel::fail(outbound_post& what, error why) {
  if (!what.request || what.handle.cancelled() || what.answered) {
    if (!what.handle.cancelled() && why.code != errc::cancelled)
      loop_.log().write(log_level::debug, "http",
                        "a message for " + endpoint_.origin() + " was not delivered: " + why.what);
    return;
  }
  what.answered = true;
  if (!closed_reported_ && why.code != errc::cancelled) to_->on_request_failed(*what.request, std::move(why));
}

std::shared_ptr<http_channel::outbound_post> http_channel::find_post(std::int64_t request) const noexcept {
  outbound_post* found = requests_by_id_.find(request);
  return found != nullptr ? found->shared_from_this() : nullptr;
}

void http_channel::abandon(outbound_post& what) noexcept {
  unregister_request(what);
  what.handle.cancel();
  what.abandoned.set();
}

bool http_channel::withdraw(std::int64_t request) noexcept {
  const auto what = find_post(request);
  if (!what || what->handle.has_sent_bytes()) return false;
  abandon(*what);
  return true;
}

void http_channel::withdraw_all() noexcept {
  requests_by_id_.clear();
  for (const auto& one : std::exchange(requests_, {})) {
    one->place = 0;
    one->handle.cancel();
    one->abandoned.set();
  }
}

void http_channel::release(std::int64_t request) noexcept {
  if (const auto what = find_post(request)) abandon(*what);
}

void http_channel::cancel(std::int64_t request, std::string_view reason) noexcept {
  const auto what = find_post(request);  // keeps it alive while abandon() removes it from the list
  if (what) abandon(*what);
  // Over the transport of 2024-11-05, a POST ends long before its call does.
  if (!what && mode_ != mode::sse) return;
  // Cancellation: in the modern era, closing the stream cancels the request; in the legacy era it means nothing.
  if (protocol::modern(revision_) || revision_.empty()) return;
  const std::string line = cancelled_line(request, reason);
  send({.line = line});
}

void http_channel::negotiated(const peer_info& info) {
  revision_ = info.revision;
  usual_fields_.clear();
}

void http_channel::trim() noexcept {
  spare_.clear();
  client_.trim();
}

task<result<void>> http_channel::drained() {
  while (queued_ > 0 && !closed_reported_) {
    all_sent_.reset();
    auto sent = co_await all_sent_.wait();
    if (!sent) co_return sent;
  }
  co_return {};
}

// Sleeps, unless the message it is for is abandoned.
task<result<void>> http_channel::pause(outbound_post* whose, duration length) {
  event never;
  auto ended = co_await with_timeout(length, detail::wait_for(whose != nullptr ? whose->abandoned : never));
  if (ended || ended.error().code != errc::timed_out) co_return cancelled_error();
  co_return {};
}

// Session management: after a 404 for an existing session, the client must start a new one.
void http_channel::on_session_lost(const error& why) {
  if (closed_reported_) return;
  has_session_ = false;  // there is no session left to delete
  to_->on_reset(why);
  report_closed(why);
}

void http_channel::report_closed(error why) noexcept {
  if (closed_reported_) return;
  closed_reported_ = true;
  all_sent_.set();
  if (to_ != nullptr) to_->on_closed(std::move(why));
  // Every call has ended now. If the channel is being closed, close() ends their POSTs.
  if (!closing_) withdraw_all();
}

task<void> http_channel::end_session() {
  std::string fields = options_.fields;
  append_field(fields, protocol::header::protocol_version, revision_);
  fields += session_;
  client_request goodbye{.method = "DELETE", .to = &endpoint_, .fields = fields};
  auto said = co_await shield(delete_timeout, fetch(goodbye, goodbye.method));
  ignore(said, "a server that keeps the session forgets it by itself");
}

task<result<void>> http_channel::close() {
  if (!work_) co_return {};
  if (closing_) {
    auto done = co_await shield(std::chrono::hours{1}, detail::wait_for(closed_));
    co_return done;
  }
  closing_ = true;
  report_closed(error{.code = errc::closed, .what = "the connection was closed"});
  work_->request_stop();
  drop_fast_requests();
  initialized_.set();
  co_await work_->join();
  if (has_session_ && mode_ == mode::streamable) co_await end_session();
  co_await client_.close();
  work_.reset();
  closed_.set();
  co_return {};
}

}  // namespace hawser

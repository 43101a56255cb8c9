// SPDX-License-Identifier: MIT
#include "http_channel.hpp"

#include <algorithm>
#include <array>

#include "../runtime/detail/wait_for.hpp"
#include "../runtime/timeout.hpp"
#include "http_fields.hpp"
#include "json_text.hpp"
#include "mcp_fields.hpp"
#include "outgoing_lines.hpp"
#include "protocol.hpp"

namespace hawser {

namespace {

constexpr duration last_word = std::chrono::seconds{2};
// Time for the GET stream to start. Some servers send no response head before their first message on it.
constexpr duration stream_patience = std::chrono::milliseconds{300};

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
http_channel_options patient(http_channel_options options) {
  options.client.patience.silence = duration::zero();
  return options;
}

}  // namespace

http_channel::http_channel(loop& home, resolver& names, http_channel_options options)
    : loop_(home),
      options_(patient(std::move(options))),
      client_(home, names, options_.client),
      scanner_(options_.limits.json),
      endpoint_(options_.to) {}

http_channel::~http_channel() { detail::require(!work_, "a channel died before it was closed"); }

task<result<void>> http_channel::open(receiver& to) {
  const context where = co_await this_context();
  to_ = &to;
  // Does not inherit the stop of the caller: close() ends it.
  work_ = std::make_unique<scope>(context{where.loop, nullptr});
  if (options_.type == http_channel_options::kind::sse) co_return co_await open_old_transport();
  co_return {};
}

std::size_t http_channel::send(const outgoing& message) {
  if (told_ || !work_ || closing_) return queued_;
  std::string_view bytes = message.line;
  while (bytes.ends_with('\n')) bytes.remove_suffix(1);
  // A server that keeps sending requests and never accepts a response must not exhaust our memory.
  if (!message.request && unaccepted_ >= options_.max_unaccepted) {
    note_dropped_post();
    return queued_;
  }
  auto what = new_posting();
  what->body = bytes;
  what->request = message.request;
  describe(*what, message, bytes);
  if (what->request) expect_answer(what);
  if (what->method == protocol::notification::initialized) {
    initializing_ = true;
    initialized_.reset();
    work_->spawn(bound_initializing(*this));
  }
  if (!what->request) ++unaccepted_;
  what->unsent = what->body.size();
  queued_ += what->unsent;
  if (!send_at_once(*what)) work_->spawn(sending(*this, std::move(what)));
  return queued_;
}

void http_channel::describe(posting& what, const outgoing& message, std::string_view bytes) {
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

std::string http_channel::fields_for(const outgoing& message, const message_view& opened) const {
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

task<void> http_channel::sending(http_channel& self, std::shared_ptr<posting> what) {
  const bool announces = what->method == protocol::notification::initialized;
  // Lifecycle: nothing except notifications/initialized is sent until the server has accepted it or its timeout has
  // passed.
  if (self.initializing_ && !announces && what->method != protocol::method::initialize) {
    auto heard = co_await self.initialized_.wait();
    ignore(heard, "a stop is seen by the exchange");
  }
  // While it works on a call, a server may send requests on the GET stream. Without that stream they would be lost.
  if (self.stream_due_ && what->request && !what->replayable) {
    auto there = co_await with_timeout(stream_patience, detail::wait_for(self.stream_there_));
    ignore(there, "a stop is seen by the exchange, and a server that is slow with its stream is asked all the same");
    self.stream_due_ = false;  // wait only once
  }
  auto done = co_await self.exchange(*what);
  self.drop_quick_one(*what);  // if it was abandoned before the exchange took it over
  self.left(*what);
  if (!done) self.fail(*what, done.error());
  self.expect_no_more(*what);
  if (self.mode_ == mode::sse) what->ended.set();
  if (!what->request) --self.unaccepted_;
  self.let_go(std::move(what));
  if (!announces) co_return;
  self.initializing_ = false;  // also if the notification was refused or lost
  self.initialized_.set();
}

// The server has accepted notifications/initialized: releases waiting messages and opens the GET stream.
void http_channel::session_begun() {
  initializing_ = false;
  initialized_.set();
  if (mode_ != mode::streamable || listening_ || closing_ || told_) return;
  listening_ = true;
  stream_due_ = true;
  stream_there_.reset();
  work_->spawn(listening(*this));
}

// Some servers never respond to notifications/initialized.
task<void> http_channel::bound_initializing(http_channel& self) {
  auto heard = co_await with_timeout(self.options_.initialized_timeout, detail::wait_for(self.initialized_));
  if (!heard && heard.error().code == errc::timed_out) self.session_begun();
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

void http_channel::left(posting& what) noexcept {
  queued_ -= std::exchange(what.unsent, 0);
  if (queued_ == 0) all_sent_.set();
}

void http_channel::fail(posting& what, error why) {
  if (!what.request || what.ticket.withdrawn() || what.answered) {
    if (!what.ticket.withdrawn() && why.code != errc::cancelled)
      loop_.log().write(log_level::debug, "http",
                        "a message for " + endpoint_.origin() + " was not delivered: " + why.what);
    return;
  }
  what.answered = true;
  if (!told_ && why.code != errc::cancelled) to_->on_request_failed(*what.request, std::move(why));
}

std::shared_ptr<http_channel::posting> http_channel::posting_of(std::int64_t request) const noexcept {
  posting* found = requests_by_id_.find(request);
  return found != nullptr ? found->shared_from_this() : nullptr;
}

void http_channel::give_up(posting& what) noexcept {
  expect_no_more(what);
  what.ticket.withdraw();
  what.given_up.set();
}

bool http_channel::withdraw(std::int64_t request) noexcept {
  const auto what = posting_of(request);
  if (!what || what->ticket.has_left()) return false;
  give_up(*what);
  return true;
}

void http_channel::withdraw_all() noexcept {
  requests_by_id_.clear();
  for (const auto& one : std::exchange(requests_, {})) {
    one->place = 0;
    one->ticket.withdraw();
    one->given_up.set();
  }
}

void http_channel::release(std::int64_t request) noexcept {
  if (const auto what = posting_of(request)) give_up(*what);
}

void http_channel::cancel(std::int64_t request, std::string_view reason) noexcept {
  const auto what = posting_of(request);  // keeps it alive while give_up() removes it from the list
  if (what) give_up(*what);
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

void http_channel::rest() noexcept {
  spare_.clear();
  client_.rest();
}

task<result<void>> http_channel::drained() {
  while (queued_ > 0 && !told_) {
    all_sent_.reset();
    auto sent = co_await all_sent_.wait();
    if (!sent) co_return sent;
  }
  co_return {};
}

// Sleeps, unless the message it is for is abandoned.
task<result<void>> http_channel::pause(posting* whose, duration length) {
  event never;
  auto ended = co_await with_timeout(length, detail::wait_for(whose != nullptr ? whose->given_up : never));
  if (ended || ended.error().code != errc::timed_out) co_return cancelled_error();
  co_return {};
}

// Session management: after a 404 for an existing session, the client must start a new one.
void http_channel::forgotten(const error& why) {
  if (told_) return;
  has_session_ = false;  // there is no session left to delete
  to_->on_reset(why);
  tell_closed(why);
}

void http_channel::tell_closed(error why) noexcept {
  if (told_) return;
  told_ = true;
  all_sent_.set();
  if (to_ != nullptr) to_->on_closed(std::move(why));
  // Every call has ended now. If the channel is being closed, close() ends their POSTs.
  if (!closing_) withdraw_all();
}

task<void> http_channel::end_session() {
  std::string fields = options_.fields;
  append_field(fields, protocol::header::protocol_version, revision_);
  fields += session_;
  http_request goodbye{.method = "DELETE", .to = &endpoint_, .fields = fields};
  auto said = co_await shield(last_word, ask(goodbye, goodbye.method));
  ignore(said, "a server that keeps the session forgets it by itself");
}

task<result<void>> http_channel::close() {
  if (!work_) co_return {};
  if (closing_) {
    auto done = co_await shield(std::chrono::hours{1}, detail::wait_for(closed_));
    co_return done;
  }
  closing_ = true;
  tell_closed(error{.code = errc::closed, .what = "the connection was closed"});
  work_->request_stop();
  drop_quick_ones();
  initialized_.set();
  co_await work_->join();
  if (has_session_ && mode_ == mode::streamable) co_await end_session();
  co_await client_.close();
  work_.reset();
  closed_.set();
  co_return {};
}

}  // namespace hawser

// SPDX-License-Identifier: MIT
#include "server_session.hpp"

#include "../runtime/async/detail/wait_for.hpp"
#include "../runtime/async/sleep.hpp"
#include "../runtime/async/timeout.hpp"
#include "../runtime/async/with_stop_source.hpp"
#include "../transports/json/json_text.hpp"
#include "../transports/json/object_writer.hpp"
#include "../transports/jsonrpc/protocol_table.hpp"
#include "param_limits.hpp"

namespace hawser {

namespace {

namespace method = protocol::method;
namespace code = protocol::code;

constexpr std::size_t longest_token = 1024;
// A response up to this size is always sent: the error in its place would not be much smaller.
constexpr std::size_t small_answer = std::size_t{4} << 10;

void respond_error(responder& answer, const error& why) {
  answer.fail(why.code == errc::remote ? why.native : code::internal_error, why.what, why.data);
}

void respond_no_such_method(responder& answer, std::string_view name) {
  answer.fail(code::method_not_found, "no such method: " + shortened(name));
}

}  // namespace

void server_session::channel_receiver::on_message(const message_view& message) noexcept {
  receiver& side = owner_.peer_;
  side.on_message(message);
}
void server_session::channel_receiver::on_request_failed(std::int64_t request, error why) noexcept {
  receiver& side = owner_.peer_;
  side.on_request_failed(request, std::move(why));
}
void server_session::channel_receiver::on_reset(error why) noexcept {
  receiver& side = owner_.peer_;
  side.on_reset(std::move(why));
}
void server_session::channel_receiver::on_closed(error why) noexcept {
  owner_.disconnect_reason_ = std::move(why);
  owner_.disconnected_.set();
}

server_session::server_session(loop& home, service& what, channel& over, server_session_options options)
    : service_(what),
      channel_(over),
      options_(std::move(options)),
      peer_(home, over, *this, {.max_incoming = options_.max_requests}),
      rounds_(options_.shared_pending_inputs ? options_.shared_pending_inputs
                                             : std::make_shared<pending_inputs>(options_.rounds)),
      held_(options_.max_request_bytes, options_.shared_request_budget),
      method_context_{.home = home,
                      .what = what,
                      .side = peer_,
                      .over = over,
                      .options = options_,
                      .rounds = *rounds_,
                      .held = held_},
      subscriptions_(peer_),
      legacy_(home, service_, channel_, options_) {
  service_.add_listener(*this);
}

server_session::~server_session() { service_.remove_listener(*this); }

task<result<void>> server_session::run() {
  const context where = co_await this_context();
  requests_ = std::make_unique<scope>(where);
  auto opened = co_await channel_.open(channel_receiver_);
  if (!opened) co_return opened.error();
  auto gone = co_await disconnected_.wait();
  if (gone && in_progress_ > 0) {
    auto answered = co_await with_timeout(options_.linger, detail::wait_for(idle_));
    ignore(answered, "they had their time");
  }
  co_await end();
  const bool by_the_client = !gone || disconnect_reason_->code == errc::closed;
  if (!by_the_client) co_return *disconnect_reason_;
  co_return result<void>{};
}

task<void> server_session::end() {
  ending_ = true;
  receiver& side = peer_;
  if (disconnect_reason_) side.on_closed(*disconnect_reason_);  // stops all requests in progress
  ended_.set();
  requests_->request_stop();
  co_await requests_->join();
  auto closed = co_await channel_.close();
  ignore(closed, "there is nobody to tell");
  side.on_closed(*disconnect_reason_);  // at the latest: closing the channel reports it
}

// The era is a property of each request, so that legacy and modern clients are served side by side.
void server_session::on_request(std::string_view name, std::string_view params, responder answer) {
  if (ending_) {
    answer.fail(code::internal_error, "the server is ending");
    return;
  }
  if (params.empty()) params = "{}";
  if (!params_within(params)) {
    answer.fail(code::invalid_request, too_many_params);
    return;
  }
  const std::string_view meta = find_member(params, protocol::meta::key);
  const bool says_version = !find_member(meta, protocol::meta::protocol_version).empty();
  const bool handshake = name == method::initialize && options_.serves_legacy();
  if (options_.serves_modern() && (says_version || protocol::is_modern_request(name)) && !handshake) {
    on_modern(name, params, std::move(answer));
  } else {
    on_legacy(name, params, std::move(answer));
  }
}

void server_session::on_legacy(std::string_view name, std::string_view params, responder answer) {
  if (const service_method* shared = legacy_.handle(name, params, answer))
    begin(*shared, params, legacy_.client(), std::move(answer));
}

void server_session::on_notification(std::string_view name, std::string_view /*params*/) {
  legacy_.on_notification(name);
}

void server_session::on_modern(std::string_view name, std::string_view params, responder answer) {
  auto client = read_modern_client(params, options_.revisions);
  if (!client) {
    respond_error(answer, client.error());
  } else if (name == method::discover) {
    answer.result(discover_result());
  } else if (name == method::subscriptions_listen) {
    auto filter = listen_filter::read(params, info_of(service_, method_context_.home), options_.max_subscriptions);
    if (!filter) {
      respond_error(answer, filter.error());
    } else {
      requests_->spawn(listen(*this, std::move(*filter), std::move(answer)));
    }
  } else if (const service_method* which = service_method::find(name);
             which != nullptr && info_of(service_, method_context_.home).*which->needs) {
    begin(*which, params, std::make_shared<const client_description>(std::move(*client)), std::move(answer));
  } else {
    respond_no_such_method(answer, name);
  }
}

std::string server_session::discover_result() const {
  const server_info& card = info_of(service_, method_context_.home);
  object_writer result;
  result.member("supportedVersions", newest_first(options_.revisions));
  result.member("capabilities", revision_adapter::capabilities(card, options_.revisions.back()));
  if (!card.instructions.empty()) result.text("instructions", card.instructions);
  return revision_adapter::modern_result(result.done(), card.info, &options_.default_cache_hint);
}

void server_session::begin(const service_method& which, std::string_view params,
                           std::shared_ptr<const client_description> client, responder answer) {
  // The token is sent back with every progress notification.
  if (request_context::progress_token(params).size() > longest_token) {
    respond_error(answer, invalid_params("params._meta.progressToken is longer than " + std::to_string(longest_token) +
                                         " bytes"));
    return;
  }
  auto held = held_.take(params.size());
  if (!held) {
    answer.fail(code::internal_error, "the requests under way are too large together; send this one again later");
    return;
  }
  ++in_progress_;
  idle_.reset();
  answer.stop().follow(requests_->child_context().stop);
  requests_->spawn(serve(*this, which, std::string{params}, std::move(client), std::move(answer), *std::move(held)));
}

task<void> server_session::serve(server_session& self, const service_method& which, std::string params,
                                 std::shared_ptr<const client_description> client, responder answer,
                                 byte_budget::share /*held*/) {
  // Logging: the level is session-wide before 2026-07-28, and per request since.
  std::optional<severity> own_level;
  const bool modern = client->modern();
  if (modern && info_of(self.service_, self.method_context_.home).logging) {
    const std::string_view meta = find_member(params, protocol::meta::key);
    own_level = severity_of(text_of(find_member(meta, protocol::meta::log_level)).value_or(""));
  }
  request_context request{std::move(params), std::move(client), self.peer_, answer,
                          modern ? own_level : self.legacy_.log_level()};
  result<void> room;
  if (self.channel_.congested() || self.dispatching_.available() == 0)
    room = co_await with_stop_source{answer.stop(), self.wait_for_room()};
  result<std::string> served = cancelled_error();
  if (room) served = co_await with_stop_source{answer.stop(), serve_method(self.method_context_, which, request)};
  self.respond(answer, std::move(served));
  if (--self.in_progress_ == 0) self.idle_.set();
}

// Back pressure: no result is produced for a client that does not read. The size of a result is not known in advance,
// so no further request is started while much is unread. Waiting requests continue one at a time, with a poll of the
// descriptors in between, so that other clients are served meanwhile.
task<result<void>> server_session::wait_for_room() {
  auto turn = co_await dispatching_.acquire();
  if (!turn) co_return turn.error();
  auto polled = co_await sleep_for(duration::zero());
  if (!polled) co_return polled;
  co_return co_await channel_.until_uncongested();
}

void server_session::respond(responder& answer, result<std::string> served) {
  const std::size_t size = served ? served->size() : served.error().what.size() + served.error().data.size();
  if (size > small_answer && !channel_.has_room(size)) {
    // Requests that started together may have results that are too large together. The error must say that this one
    // was executed.
    answer.fail(code::internal_error, "the request was handled, but its answer of " + std::to_string(size) +
                                          " bytes was dropped: too much of what was sent before has not been read yet");
  } else if (served) {
    answer.result(std::move(*served));
  } else if (served.error().code == errc::cancelled) {
    // a client that cancelled the request does not receive this
    answer.fail(code::internal_error, "the server is ending");
  } else {
    respond_error(answer, served.error());
  }
}

// Subscriptions: the acknowledgement comes first; at the end, both the result and the cancellation that the
// specification asks for.
task<void> server_session::listen(server_session& self, listen_filter filter, responder answer) {
  const std::string id = answer.id().json();
  const subscriptions::place place = self.subscriptions_.add(id, std::move(filter));
  auto ended = co_await with_stop_source{answer.stop(), detail::wait_for(self.ended_)};
  self.subscriptions_.remove(place);
  if (!ended || !answer.wanted()) co_return;
  object_writer meta;
  object_writer result;
  result.member(protocol::meta::key, meta.member(protocol::meta::subscription_id, id).done());
  answer.result(
      revision_adapter::modern_result(result.done(), info_of(self.service_, self.method_context_.home).info, nullptr));
  object_writer cancelled;
  self.peer_.notify(protocol::notification::cancelled,
                    cancelled.member("requestId", id).text("reason", "the server is ending").done());
}

void server_session::on_list_changed(list_kind what) {
  if (ending_ || !info_of(service_, method_context_.home).lists_change) return;
  if (legacy_.ready()) peer_.notify(list_changed_method(what));
  subscriptions_.notify_list_changed(what);
}

void server_session::on_resource_updated(std::string_view uri) {
  if (ending_) return;
  if (legacy_.ready() && legacy_.is_subscribed(uri)) {
    object_writer params;
    peer_.notify(protocol::notification::resources_updated, params.text("uri", uri).done());
  }
  subscriptions_.notify_resource_updated(uri);
}

}  // namespace hawser

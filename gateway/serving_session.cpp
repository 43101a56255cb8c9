// SPDX-License-Identifier: MIT
#include "serving_session.hpp"

#include "../runtime/detail/wait_for.hpp"
#include "../runtime/sleep.hpp"
#include "../runtime/timeout.hpp"
#include "../transports/json_text.hpp"
#include "../transports/object_writer.hpp"
#include "param_limits.hpp"
#include "under_stop.hpp"

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

void serving_session::inlet::on_message(const message_view& message) noexcept {
  receiver& side = owner_.side_;
  side.on_message(message);
}
void serving_session::inlet::on_request_failed(std::int64_t request, error why) noexcept {
  receiver& side = owner_.side_;
  side.on_request_failed(request, std::move(why));
}
void serving_session::inlet::on_reset(error why) noexcept {
  receiver& side = owner_.side_;
  side.on_reset(std::move(why));
}
void serving_session::inlet::on_closed(error why) noexcept {
  owner_.why_gone_ = std::move(why);
  owner_.gone_.set();
}

serving_session::serving_session(loop& home, service& what, channel& over, serving_options options)
    : service_(what),
      channel_(over),
      options_(std::move(options)),
      side_(home, over, *this, {.max_incoming = options_.max_requests}),
      rounds_(options_.known_rounds ? options_.known_rounds : std::make_shared<input_rounds>(options_.rounds)),
      held_(options_.max_held, options_.held_overall),
      means_{.home = home,
             .what = what,
             .side = side_,
             .over = over,
             .options = options_,
             .rounds = *rounds_,
             .held = held_},
      subscriptions_(side_) {
  service_.add_listener(*this);
}

serving_session::~serving_session() { service_.remove_listener(*this); }

task<result<void>> serving_session::run() {
  const context where = co_await this_context();
  requests_ = std::make_unique<scope>(where);
  auto opened = co_await channel_.open(inlet_);
  if (!opened) co_return opened.error();
  auto gone = co_await gone_.wait();
  if (gone && under_way_ > 0) {
    auto answered = co_await with_timeout(options_.linger, detail::wait_for(idle_));
    ignore(answered, "they had their time");
  }
  co_await end();
  const bool by_the_client = !gone || why_gone_->code == errc::closed;
  if (!by_the_client) co_return *why_gone_;
  co_return result<void>{};
}

task<void> serving_session::end() {
  ending_ = true;
  receiver& side = side_;
  if (why_gone_) side.on_closed(*why_gone_);  // stops all requests in progress
  ended_.set();
  requests_->request_stop();
  co_await requests_->join();
  auto closed = co_await channel_.close();
  ignore(closed, "there is nobody to tell");
  side.on_closed(*why_gone_);  // at the latest: closing the channel reports it
}

// The era is a property of each request, so that legacy and modern clients are served side by side.
void serving_session::on_request(std::string_view name, std::string_view params, responder answer) {
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
  const bool modern_word = name == method::discover || name == method::subscriptions_listen;
  const bool handshake = name == method::initialize && options_.serves_legacy();
  if (options_.serves_modern() && (says_version || modern_word) && !handshake) {
    on_modern(name, params, std::move(answer));
  } else {
    on_legacy(name, params, std::move(answer));
  }
}

void serving_session::on_modern(std::string_view name, std::string_view params, responder answer) {
  auto client = modern_client(params, options_.revisions);
  if (!client) {
    respond_error(answer, client.error());
  } else if (name == method::discover) {
    answer.result(discovered());
  } else if (name == method::subscriptions_listen) {
    auto filter = listen_filter::read(params, card_of(service_, means_.home), options_.max_watched);
    if (!filter) {
      respond_error(answer, filter.error());
    } else {
      requests_->spawn(listen(*this, std::move(*filter), std::move(answer)));
    }
  } else if (const shared_method* which = shared_method::find(name);
             which != nullptr && card_of(service_, means_.home).*which->needs) {
    begin(*which, params, std::make_shared<const client_view>(std::move(*client)), std::move(answer));
  } else {
    respond_no_such_method(answer, name);
  }
}

std::string serving_session::discovered() const {
  const service_card& card = card_of(service_, means_.home);
  object_writer result;
  result.member("supportedVersions", newest_first(options_.revisions));
  result.member("capabilities", shape::capabilities(card, options_.revisions.back()));
  if (!card.instructions.empty()) result.text("instructions", card.instructions);
  return shape::modern_result(result.done(), card.info, &options_.keep);
}

void serving_session::begin(const shared_method& which, std::string_view params,
                            std::shared_ptr<const client_view> client, responder answer) {
  // The token is sent back with every progress notification.
  if (serving_request::progress_token(params).size() > longest_token) {
    respond_error(answer, invalid_params("params._meta.progressToken is longer than " + std::to_string(longest_token) +
                                         " bytes"));
    return;
  }
  auto held = held_.take(params.size());
  if (!held) {
    answer.fail(code::internal_error, "the requests under way are too large together; send this one again later");
    return;
  }
  ++under_way_;
  idle_.reset();
  answer.stop().follow(requests_->where().stop);
  requests_->spawn(serve(*this, which, std::string{params}, std::move(client), std::move(answer), *std::move(held)));
}

task<void> serving_session::serve(serving_session& self, const shared_method& which, std::string params,
                                  std::shared_ptr<const client_view> client, responder answer,
                                  byte_budget::share /*held*/) {
  // Logging: the level is session-wide before 2026-07-28, and per request since.
  std::optional<severity> own_level;
  const bool modern = client->modern();
  if (modern && card_of(self.service_, self.means_.home).logging) {
    const std::string_view meta = find_member(params, protocol::meta::key);
    own_level = severity_of(text_of(find_member(meta, protocol::meta::log_level)).value_or(""));
  }
  serving_request request{std::move(params), std::move(client), self.side_, answer,
                          modern ? own_level : self.legacy_level_};
  result<void> room;
  if (self.channel_.crowded() || self.dispatching_.free() == 0)
    room = co_await under_stop{answer.stop(), self.wait_for_room()};
  result<std::string> served = cancelled_error();
  if (room) served = co_await under_stop{answer.stop(), serve_method(self.means_, which, request)};
  self.respond(answer, std::move(served));
  if (--self.under_way_ == 0) self.idle_.set();
}

// Back pressure: no result is produced for a client that does not read. The size of a result is not known in advance,
// so no further request is started while much is unread. Waiting requests continue one at a time, with a poll of the
// descriptors in between, so that other clients are served meanwhile.
task<result<void>> serving_session::wait_for_room() {
  auto turn = co_await dispatching_.acquire();
  if (!turn) co_return turn.error();
  auto polled = co_await sleep_for(duration::zero());
  if (!polled) co_return polled;
  co_return co_await channel_.uncrowded();
}

void serving_session::respond(responder& answer, result<std::string> served) {
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
task<void> serving_session::listen(serving_session& self, listen_filter filter, responder answer) {
  const std::string id = answer.id().json();
  const subscriptions::place place = self.subscriptions_.add(id, std::move(filter));
  auto ended = co_await under_stop{answer.stop(), detail::wait_for(self.ended_)};
  self.subscriptions_.remove(place);
  if (!ended || !answer.wanted()) co_return;
  object_writer meta;
  object_writer result;
  result.member(protocol::meta::key, meta.member(protocol::meta::subscription_id, id).done());
  answer.result(shape::modern_result(result.done(), card_of(self.service_, self.means_.home).info, nullptr));
  object_writer cancelled;
  self.side_.notify(protocol::notification::cancelled,
                    cancelled.member("requestId", id).text("reason", "the server is ending").done());
}

void serving_session::on_changed(list_kind what) {
  if (ending_ || !card_of(service_, means_.home).lists_change) return;
  if (legacy_.ready) side_.notify(changed_word(what));
  subscriptions_.changed(what);
}

void serving_session::on_updated(std::string_view uri) {
  if (ending_) return;
  if (legacy_.ready && !legacy_.watched.empty() && legacy_.watched.contains(digest_of(uri))) {
    object_writer params;
    side_.notify(protocol::notification::resources_updated, params.text("uri", uri).done());
  }
  subscriptions_.updated(uri);
}

}  // namespace hawser

// SPDX-License-Identifier: MIT
#include "legacy_http_handler.hpp"

#include <set>

#include "../../runtime/async/detail/wait_for.hpp"
#include "../../runtime/async/timeout.hpp"
#include "../../transports/json/json_text.hpp"
#include "../../transports/jsonrpc/message_reader.hpp"
#include "../../transports/jsonrpc/protocol_table.hpp"

namespace hawser {

namespace {

namespace header = protocol::header;

http_refusal session_ended() { return {.status = 404, .what = "the session has ended"}; }

}  // namespace

legacy_http_handler::legacy_http_handler(loop& event_loop, service& service, const streamable_http_options& options,
                                         http_clients& clients)
    : loop_(event_loop),
      service_(service),
      options_(options),
      clients_(clients),
      sessions_(event_loop, {.max_sessions = options.max_sessions,
                             .max_sessions_per_client = options.max_sessions_per_client,
                             .min_idle_for_eviction = options.min_idle_for_eviction}) {}

task<void> legacy_http_handler::run_until_ended(legacy_http_handler& self, session_ref session) {
  co_await session->run(self.options_.session_idle_timeout);
  self.sessions_.remove(session->id());
}

// Session management: the session id is sent only with the result of `initialize`.
task<void> legacy_http_handler::initialize(server_exchange& call, const message_view& message) {
  if (auto wrong = check_legacy_version(call.request().fields, options_.session)) {
    refuse(call, *wrong, canonical_id(message));
    co_return;
  }
  const std::string_view info = find_member(message.params, "clientInfo");
  const text_digest client = digest_of(is_object(info) ? info : "{}");
  const auto counted = count_call(clients_, call, client, canonical_id(message));
  if (!counted) co_return;
  if (!sessions_.make_room(client)) {
    refuse(call, {.status = 503, .code = protocol::code::internal_error, .what = "all sessions are in use"},
           canonical_id(message));
    co_return;
  }
  const session_ref session =
      std::make_shared<http_session>(loop_, service_, options_.session, options_.unread, counted->of());
  const http_session::use in_use{*session};
  sessions_.add(session);
  session_scope_->spawn(run_until_ended(*this, session));
  std::set<std::string, std::less<>> expected{canonical_id(message)};
  server_response reply{std::move(expected)};
  std::vector<posted> messages{{.message = call.body()}};
  co_await exchange(call, *session, reply, std::move(messages));
  const bool negotiated = !session->channel().revision().empty();
  if (!negotiated) session->channel().end(error{.code = errc::closed, .what = "nothing was agreed on"});
}

legacy_http_handler::session_lookup legacy_http_handler::find_session(const http_head& request) const {
  if (auto wrong = check_legacy_version(request.fields, options_.session)) return {.why = *std::move(wrong)};
  const auto id = single_field(request.fields, header::session_id);
  if (!id)
    return {.why = {.what = "initialize comes first; after it every request has the header field Mcp-Session-Id"}};
  if (session_ref found = sessions_.find(*id)) return {.session = std::move(found)};
  return {.why = {.status = 404, .what = "there is no such session, or no longer"}};
}

task<void> legacy_http_handler::serve_message(server_exchange& call, const message_view& message) {
  const std::string id = canonical_id(message);
  const session_lookup found = find_session(call.request());
  if (!found.session) {
    refuse(call, found.why, id);
    co_return;
  }
  const http_session::use in_use{*found.session};
  http_server_channel& channel = found.session->channel();
  const auto counted = count_call(clients_, call, found.session->client(), id);
  if (!counted) co_return;
  const bool request = message.kind == message_kind::request;
  found.session->reach(request ? http_session::activity::used : http_session::activity::notified);
  if (!request) {
    channel.deliver(call.body());
    accept(call);
  } else if (channel.expects_response(id)) {
    refuse(call, {.what = "a request with this id is being answered"}, id);
  } else {
    std::set<std::string, std::less<>> expected{id};
    server_response reply{std::move(expected)};
    std::vector<posted> messages{{.message = call.body()}};
    co_await exchange(call, *found.session, reply, std::move(messages));
  }
}

task<void> legacy_http_handler::serve_batch(server_exchange& call) {
  const session_lookup found = find_session(call.request());
  if (!found.session || !protocol::has(protocol::feature::batches, found.session->channel().revision())) {
    const http_refusal no_batches{.what = "batches belong to sessions of the revision 2025-03-26"};
    refuse(call, found.session ? no_batches : found.why);
    co_return;
  }
  if (auto valid = validate_json(call.body()); !valid) {
    refuse(call, {.code = protocol::code::parse_error, .what = valid.error().what});
    co_return;
  }
  if (!elements_within(call.body(), max_batch)) {
    refuse(call, {.what = batch_too_large()});
    co_return;
  }
  const http_session::use in_use{*found.session};
  const auto counted = count_call(clients_, call, found.session->client(), {});
  if (!counted) co_return;
  // Its messages wait while the client does not read the responses.
  auto held = counted->of()->held()->take(call.body().size());
  if (!held) {
    refuse(call, {.status = 429,
                  .code = protocol::code::internal_error,
                  .what = "the requests of this client that are being answered are too large together"});
    co_return;
  }
  found.session->reach(http_session::activity::used);
  std::vector<posted> messages;
  std::set<std::string, std::less<>> expected;
  scanner look;
  bool good = true;
  for_each_element(call.body(), [&](std::string_view element) {
    const message_view message = look.scan(element);
    std::string id = message.kind == message_kind::request ? canonical_id(message) : std::string{};
    good = message.kind != message_kind::unusable && message.id.size() <= max_request_id &&
           message.method != protocol::method::initialize && !found.session->channel().expects_response(id);
    messages.push_back({.message = element, .id = id});
    if (good && !id.empty()) good = expected.insert(std::move(id)).second;
    return good;
  });
  if (!good || messages.empty()) {
    refuse(call, {.what = "a message of this batch cannot be served"});
    co_return;
  }
  const bool answered = !expected.empty();
  server_response reply{std::move(expected), server_response::form::events};
  if (answered) {
    co_await exchange(call, *found.session, reply, std::move(messages), std::move(held));
  } else {
    byte_budget::share share = *std::move(held);
    co_await deliver(*this, call, found.session->channel(), reply, std::move(messages), std::move(share));
    accept(call);
  }
}

// Between two messages of a batch other clients are served, and the next message waits while the client has much
// unread data. If the client has disconnected, there is only the pause: its requests were accepted, and the session
// itself waits for room.
task<void> legacy_http_handler::deliver(const legacy_http_handler& self, server_exchange& call,
                                        http_server_channel& destination, const server_response& reply,
                                        std::vector<posted> messages, byte_budget::share /*held*/) {
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (i > 0) {
      auto polled = co_await shield(std::chrono::seconds{1}, detail::wait_for(duration::zero()));
      ignore(polled, "nothing stops it");
    }
    if (i > 0 && destination.congested()) {
      auto room = co_await destination.until_uncongested();
      ignore(room, "seen below, or the client is gone");
    }
    if (destination.ended() || self.session_scope_->stop_requested()) break;
    const posted& next = messages[i];
    const bool cancelled = !next.id.empty() && !reply.expected().contains(next.id);
    if (!cancelled) destination.deliver(next.message);
  }
  call.release_body();
}

// Before 2026-07-28 a disconnect does not cancel the request: the session continues.
task<void> legacy_http_handler::exchange(server_exchange& call, http_session& session, server_response& reply,
                                         std::vector<posted> messages, std::optional<byte_budget::share> held) {
  http_server_channel& channel = session.channel();
  auto opened = co_await channel.wait_until_open();
  if (!opened) {
    refuse(call, session_ended());
    co_return;
  }
  server_response::write_options options{.keep_alive = options_.keep_alive};
  if (channel.revision().empty()) options.fields.add(std::string{header::session_id}, session.id());
  const context current = co_await this_context();
  scope delivering{current};
  channel.attach(reply);
  if (held) {
    delivering.spawn(deliver(*this, call, channel, reply, std::move(messages), *std::move(held)));
  } else {
    channel.deliver(messages.front().message);
    call.release_body();
  }
  co_await reply.write(call, options);
  channel.detach(reply);
  co_await delivering.join();
  if (call.stage() != server_exchange::response_stage::not_started || current.stop_requested()) co_return;
  if (channel.ended()) {
    refuse(call, session_ended());
  } else {
    http_fields fields;  // cancelled: a stream without the response
    fields.add("Content-Type", "text/event-stream");
    call.reply(200, fields, {});
  }
}

task<void> legacy_http_handler::listen(server_exchange& call) {
  const session_lookup found = find_session(call.request());
  if (!found.session) {
    refuse(call, found.why);
    co_return;
  }
  if (!accepts(call.request().fields, "text/event-stream")) {
    refuse(call, {.status = 406, .what = "Accept must have text/event-stream"});
    co_return;
  }
  const http_session::use in_use{*found.session};
  const auto counted = count_call(clients_, call, found.session->client(), {});
  if (!counted) co_return;
  found.session->reach(http_session::activity::used);
  std::set<std::string, std::less<>> nothing;
  server_response reply{std::move(nothing), server_response::form::events};
  http_server_channel& channel = found.session->channel();
  const server_response::write_options options{.keep_alive = options_.keep_alive};
  channel.listen(reply);
  co_await reply.write(call, options);
  channel.unlisten(reply);
}

void legacy_http_handler::end_session(server_exchange& call) {
  const session_lookup found = find_session(call.request());
  if (!found.session) {
    refuse(call, found.why);
    return;
  }
  sessions_.remove(found.session->id());
  found.session->channel().end(error{.code = errc::closed, .what = "the client has ended the session"});
  call.reply(204, {}, {});
}

}  // namespace hawser

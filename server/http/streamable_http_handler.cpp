// SPDX-License-Identifier: MIT
#include "streamable_http_handler.hpp"

#include <algorithm>
#include <set>

#include "../../transports/json/json_text.hpp"
#include "../param_limits.hpp"

namespace hawser {

namespace {

namespace header = protocol::header;

complete_response not_allowed(const char* allowed) {
  const http_refusal refusal{.status = 405, .what = "this method is not served here"};
  complete_response response = refusal.answer({});
  response.fields.add("Allow", allowed);
  return response;
}

http_refusal unusable(const message_view& message) {
  return {.code = message.fault_code == errc::parse ? protocol::code::parse_error : protocol::code::invalid_request,
          .what = message.fault != nullptr ? message.fault : "this is no message"};
}

bool is_answer(const message_view& message) noexcept {
  return message.kind == message_kind::result || message.kind == message_kind::failure;
}

std::string_view without_query(std::string_view target) noexcept { return target.substr(0, target.find('?')); }

std::string_view client_info(std::string_view params) {
  const std::string_view info = find_member(find_member(params, protocol::meta::key), protocol::meta::client_info);
  return is_object(info) ? info : std::string_view{"{}"};
}

task<void> run_session(server_session& session) {
  auto served = co_await session.run();
  ignore(served, "the exchange ends with it");
}

}  // namespace

streamable_http_handler::streamable_http_handler(loop& event_loop, service& service, streamable_http_options options)
    : loop_(event_loop),
      service_(service),
      options_(with_budget(std::move(options))),
      clients_({.max_calls = options_.max_calls_per_client,
                .max_unread_per_client = options_.max_unread_per_client,
                .max_unread = options_.max_unread,
                .max_held_per_client = options_.max_held_per_client},
               options_.session.shared_request_budget),
      legacy_(event_loop, service, options_, clients_) {
  modern_ = options_.session;
  if (!modern_.shared_pending_inputs) modern_.shared_pending_inputs = std::make_shared<pending_inputs>(modern_.rounds);
}

streamable_http_options streamable_http_handler::with_budget(streamable_http_options options) {
  if (!options.session.shared_request_budget)
    options.session.shared_request_budget = std::make_shared<byte_budget>(options.max_request_bytes);
  return options;
}

task<void> streamable_http_handler::run(http_server& server) {
  const context current = co_await this_context();
  scope sessions{current};
  legacy_.run_sessions_in(&sessions);
  request_handler each = [this](server_exchange& call) { return answer(call); };
  head_check first = [this](const http_head& head) { return check_head(head); };
  co_await server.serve(std::move(each), std::move(first));
  sessions.request_stop();
  co_await sessions.join();
  legacy_.run_sessions_in(nullptr);
}

// T-32: checks everything that the request head decides before any of the body is read.
std::optional<complete_response> streamable_http_handler::check_head(const http_head& request) const {
  if (auto foreign = check_origin(request.fields)) return foreign->answer({});
  if (without_query(request.target) != options_.path)
    return http_refusal{.status = 404, .what = "MCP is served at " + options_.path}.answer({});
  if (request.method == "POST") {
    if (auto wrong = check_content_headers(request.fields)) return wrong->answer({});
    return std::nullopt;
  }
  const auto version = request.fields.find(header::protocol_version);
  const bool has_sessions =
      options_.session.serves_legacy() && !(options_.session.serves_modern() && version && protocol::modern(*version));
  if (!has_sessions) return not_allowed("POST");
  if (request.method != "GET" && request.method != "DELETE") return not_allowed("GET, POST, DELETE");
  return std::nullopt;
}

task<void> streamable_http_handler::answer(server_exchange& call) {
  const std::string_view method = call.request().method;
  if (method == "POST") {
    co_await post(call);
    co_return;
  }
  call.release_body();
  if (method == "GET") {
    co_await legacy_.listen(call);
  } else {
    legacy_.end_session(call);
  }
}

task<void> streamable_http_handler::post(server_exchange& call) {
  const http_fields& fields = call.request().fields;
  const std::size_t first = std::min(call.body().find_first_not_of(" \t\r\n"), call.body().size());
  if (call.body().substr(first).starts_with('[')) {
    co_await legacy_.serve_batch(call);
    co_return;
  }
  scanner look;
  const message_view message = look.scan(call.body());
  if (message.kind == message_kind::unusable) {
    refuse(call, unusable(message), message.id.size() <= max_request_id ? canonical_id(message) : std::string{});
  } else if (message.id.size() > max_request_id) {
    refuse(call, {.what = "the id is too long"});
  } else if (!params_within(message.params)) {
    refuse(call, {.what = too_many_params}, canonical_id(message));
  } else if (is_modern_request(fields, message, options_.session)) {
    co_await serve_modern(call, message);
  } else if (message.kind == message_kind::request && message.method == protocol::method::initialize) {
    co_await legacy_.initialize(call, message);
  } else {
    co_await legacy_.serve_message(call, message);
  }
}

// Since 2026-07-28 each request is independent. It gets a server_session of its own, which is stopped if the client
// disconnects.
task<void> streamable_http_handler::serve_modern(server_exchange& call, const message_view& message) {
  if (message.kind == message_kind::notification) {
    accept(call);  // no notification has an effect in this era
    co_return;
  }
  const std::string id = canonical_id(message);
  if (is_answer(message)) {
    refuse(call, {.what = "this revision has no requests of servers, and so no answers of clients"});
    co_return;
  }
  if (auto wrong = check_modern_request(call.request().fields, message, options_.session)) {
    refuse(call, *wrong, id);
    co_return;
  }
  const auto counted = count_call(clients_, call, digest_of(client_info(message.params)), id);
  if (!counted) co_return;
  http_server_channel channel{options_.unread, counted->of()->backlog()};
  server_session_options options = modern_;
  options.shared_request_budget = counted->of()->held();
  server_session session{loop_, service_, channel, std::move(options)};
  std::set<std::string, std::less<>> expected{id};
  server_response reply{std::move(expected)};
  server_response::write_options write{.keep_alive = options_.keep_alive};
  write.maps_errors_to_status = true;
  channel.attach(reply);
  scope serving{co_await this_context()};
  serving.spawn(run_session(session));
  auto opened = co_await channel.wait_until_open();
  if (opened) channel.deliver(call.body());
  call.release_body();  // a subscription may last for ever; what the session needs of the message it has copied
  co_await reply.write(call, write);
  serving.request_stop();
  co_await serving.join();
  // Messages that the end itself produced: a subscription gets its result.
  if (call.stage() != server_exchange::response_stage::ended) co_await reply.write(call, write);
  channel.detach(reply);
}

}  // namespace hawser

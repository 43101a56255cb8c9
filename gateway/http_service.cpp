// SPDX-License-Identifier: MIT
#include "http_service.hpp"
#include "param_limits.hpp"

#include <algorithm>
#include <set>

#include "../transports/json_text.hpp"

namespace hawser {

namespace {

namespace header = protocol::header;

whole_answer not_allowed(const char* allowed) {
  const http_refusal why{.status = 405, .what = "this method is not served here"};
  whole_answer answer = why.answer({});
  answer.fields.add("Allow", allowed);
  return answer;
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

task<void> run_session(serving_session& session) {
  auto served = co_await session.run();
  ignore(served, "the exchange ends with it");
}

}  // namespace

std::optional<http_clients::call> http_service::begin_call(http_call& call, const text_digest& client,
                                                           std::string_view id) {
  auto begun = clients_.begin_call(client);
  if (!begun)
    refuse(call,
           {.status = 429,
            .code = protocol::code::internal_error,
            .what = "too many requests of this client are being answered"},
           id);
  return begun;
}

http_service::http_service(loop& home, service& what, http_service_options options)
    : loop_(home),
      service_(what),
      options_(std::move(options)),
      clients_({.max_calls = options_.max_calls_per_client,
                .max_unread_per_client = options_.max_unread_per_client,
                .max_unread = options_.max_unread}) {
  if (!options_.serving.held_overall) options_.serving.held_overall = std::make_shared<byte_budget>(options_.max_held);
  modern_ = options_.serving;
  if (!modern_.known_rounds) modern_.known_rounds = std::make_shared<input_rounds>(modern_.rounds);
}

task<void> http_service::run(http_server& at) {
  scope lives{co_await this_context()};
  lives_ = &lives;
  answer_request each = [this](http_call& call) { return answer(call); };
  judge_head first = [this](const http_head& head) { return judge(head); };
  co_await at.serve(std::move(each), std::move(first));
  lives.request_stop();
  co_await lives.join();
  lives_ = nullptr;
}

task<void> http_service::live(http_service& self, session_ref session) {
  co_await session->run(self.options_.session_patience);
  self.sessions_.erase(session->id());
}

// T-32: checks everything that the request head decides before any of the body is read.
std::optional<whole_answer> http_service::judge(const http_head& request) const {
  if (auto foreign = foreign_origin(request.fields)) return foreign->answer({});
  if (without_query(request.target) != options_.path)
    return http_refusal{.status = 404, .what = "MCP is served at " + options_.path}.answer({});
  if (request.method == "POST") {
    if (auto wrong = wrong_content(request.fields)) return wrong->answer({});
    return std::nullopt;
  }
  const auto version = request.fields.find(header::protocol_version);
  const bool has_sessions =
      options_.serving.serves_legacy() && !(options_.serving.serves_modern() && version && protocol::modern(*version));
  if (!has_sessions) return not_allowed("POST");
  if (request.method != "GET" && request.method != "DELETE") return not_allowed("GET, POST, DELETE");
  return std::nullopt;
}

task<void> http_service::answer(http_call& call) {
  const std::string_view method = call.request().method;
  if (method == "POST") {
    co_await post(call);
  } else if (method == "GET") {
    co_await listen(call);
  } else {
    end_session(call);
  }
}

task<void> http_service::post(http_call& call) {
  const http_fields& fields = call.request().fields;
  const std::size_t first = std::min(call.body().find_first_not_of(" \t\r\n"), call.body().size());
  if (call.body().substr(first).starts_with('[')) {
    co_await serve_batch(call);
    co_return;
  }
  scanner look;
  const message_view message = look.scan(call.body());
  if (message.kind == message_kind::unusable) {
    refuse(call, unusable(message), message.id.size() <= longest_request_id ? id_of(message) : std::string{});
  } else if (message.id.size() > longest_request_id) {
    refuse(call, {.what = "the id is too long"});
  } else if (!params_within(message.params)) {
    refuse(call, {.what = too_many_params}, id_of(message));
  } else if (belongs_to_modern(fields, message, options_.serving)) {
    co_await serve_modern(call, message);
  } else if (message.kind == message_kind::request && message.method == protocol::method::initialize) {
    co_await initialize(call, message);
  } else {
    co_await serve_in_session(call, message);
  }
}

// Since 2026-07-28 each request is independent. It gets a serving_session of its own, which is stopped if the client
// disconnects.
task<void> http_service::serve_modern(http_call& call, const message_view& message) {
  if (message.kind == message_kind::notification) {
    accept(call);  // no notification has an effect in this era
    co_return;
  }
  const std::string id = id_of(message);
  if (is_answer(message)) {
    refuse(call, {.what = "this revision has no requests of servers, and so no answers of clients"});
    co_return;
  }
  if (auto wrong = wrong_modern_request(call.request().fields, message, options_.serving)) {
    refuse(call, *wrong, id);
    co_return;
  }
  const auto counted = begin_call(call, digest_of(client_info(message.params)), id);
  if (!counted) co_return;
  exchange_channel channel{options_.unread, counted->of()->unread()};
  serving_session session{loop_, service_, channel, modern_};
  std::set<std::string, std::less<>> expected{id};
  http_reply reply{std::move(expected)};
  http_reply::manner how{.keep_alive = options_.keep_alive};
  how.statuses = true;
  channel.attach(reply);
  scope serving{co_await this_context()};
  serving.spawn(run_session(session));
  auto opened = co_await channel.opened();
  if (opened) channel.deliver(call.body());
  co_await reply.write(call, how);
  serving.request_stop();
  co_await serving.join();
  // Messages that the end itself produced: a subscription gets its result.
  if (call.so_far() != http_call::stage::ended) co_await reply.write(call, how);
  channel.detach(reply);
}

}  // namespace hawser

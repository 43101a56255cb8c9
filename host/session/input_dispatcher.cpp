// SPDX-License-Identifier: MIT
#include "input_dispatcher.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "../../runtime/async/call_handler.hpp"
#include "../../transports/jsonrpc/message.hpp"
#include "../../transports/jsonrpc/protocol.hpp"
#include "../schema/schema_check.hpp"

namespace hawser {

namespace {

namespace json = boost::json;
using action = elicitation_answer::action;

error rpc_error(int code, std::string message) {
  return error{.code = errc::remote, .what = std::move(message), .native = code};
}

std::string text_member(const json::object& object, std::string_view name) {
  const json::value* found = object.if_contains(name);
  const json::string* text = found != nullptr ? found->if_string() : nullptr;
  return text != nullptr ? std::string{*text} : std::string{};
}

std::string_view word(action chosen) {
  switch (chosen) {
    case action::accept: return "accept";
    case action::cancel: return "cancel";
    case action::decline: break;
  }
  return "decline";
}

bool opens_in_a_browser(std::string_view url) { return url.starts_with("https://") || url.starts_with("http://"); }

}  // namespace

task<result<std::string>> input_dispatcher::answer(std::string server, std::string method, std::string params,
                                                   std::function<void()> asking) const {
  json::object object;
  if (!params.empty()) {
    auto parsed = raw_json{params}.parse();
    std::string{}.swap(params);  // a person may take long to answer
    if (!parsed)
      co_return rpc_error(protocol::code::invalid_params, "the params of " + method + ": " + parsed.error().what);
    if (!parsed->is_object())
      co_return rpc_error(protocol::code::invalid_params, "the params of " + method + " are no object");
    object = std::move(parsed->get_object());
  }
  // Without a handler, the capability was not declared and the method does not exist.
  if (method == protocol::method::roots_list && handlers_.roots) co_return co_await list_roots(std::move(server));
  if (method == protocol::method::create_message && handlers_.sampling)
    co_return co_await sample(std::move(server), std::move(object), std::move(asking));
  if (method == protocol::method::elicit && (handlers_.form || handlers_.url))
    co_return co_await elicit(std::move(server), std::move(object), std::move(asking));
  co_return rpc_error(protocol::code::method_not_found, "no such method: " + method);
}

task<result<std::string>> input_dispatcher::list_roots(std::string server) const {
  roots_request request{.server = std::move(server)};
  auto answered = co_await call_handler_or_decline(proxy_, executor_, handlers_.roots, "the input handler roots",
                                                   std::move(request));
  if (!answered) co_return answered.error();
  if (!answered->has_value()) co_return rpc_error(protocol::code::internal_error, "the roots were not disclosed");
  json::array roots;
  for (const root& disclosed : **answered) {
    json::object described{{"uri", disclosed.uri}};
    if (!disclosed.name.empty()) described["name"] = disclosed.name;
    roots.push_back(std::move(described));
  }
  co_return json::serialize(json::object{{"roots", std::move(roots)}});
}

task<result<std::string>> input_dispatcher::sample(std::string server, json::object params,
                                                   std::function<void()> asking) const {
  // Sampling: undeclared use of tools is an error; the members are not dropped silently.
  if (!handlers_.sampling_has_tools && (params.contains("tools") || params.contains("toolChoice")))
    co_return rpc_error(protocol::code::invalid_params, "sampling with tools was not declared");
  sampling_request request{.server = std::move(server), .params = std::move(params)};
  if (asking) asking();
  auto answered = co_await call_handler_or_decline(proxy_, executor_, handlers_.sampling, "the input handler sampling",
                                                   std::move(request));
  if (!answered) co_return answered.error();
  if (!answered->has_value())
    co_return rpc_error(protocol::code::user_rejected, "the user declined the sampling request");
  co_return json::serialize(**answered);
}

task<result<elicitation_answer::action>> input_dispatcher::consent(url_request request,
                                                                   std::function<void()> asking) const {
  if (!handlers_.url) co_return rpc_error(protocol::code::invalid_params, "elicitation by URL was not declared");
  if (!opens_in_a_browser(request.url))
    co_return rpc_error(protocol::code::invalid_params, "the URL is neither https nor http");
  if (asking) asking();
  auto answered =
      co_await call_handler_or_decline(proxy_, executor_, handlers_.url, "the input handler url", std::move(request));
  if (!answered) co_return answered.error();
  co_return answered->has_value() ? (*answered)->what : action::decline;
}

task<result<std::string>> input_dispatcher::elicit(std::string server, json::object params,
                                                   std::function<void()> asking) const {
  const std::string mode = text_member(params, "mode");
  const std::string message = text_member(params, "message");
  if (mode == "url") {
    url_request request{.server = std::move(server), .message = message, .url = text_member(params, "url")};
    auto agreed = co_await consent(std::move(request), std::move(asking));
    if (!agreed) co_return agreed.error();
    co_return json::serialize(json::object{{"action", word(*agreed)}});
  }
  // Only a missing mode means a form.
  const bool is_form = mode == "form" || !params.contains("mode");
  if (!is_form || !handlers_.form)
    co_return rpc_error(protocol::code::invalid_params,
                        "elicitation by " + (is_form ? "form" : mode) + " was not declared");
  const json::value* found = params.if_contains("requestedSchema");
  if (found == nullptr || !found->is_object())
    co_return rpc_error(protocol::code::invalid_params, "a form needs a requestedSchema");
  const std::string schema = json::serialize(*found);
  // Checked before the user sees the form: no answer could be validated against a bad schema.
  if (const auto checkable = schema_violation(schema, "{}"); !checkable)
    co_return rpc_error(protocol::code::invalid_params, "requestedSchema: " + checkable.error().what);
  form_request request{.server = std::move(server), .message = message, .schema = found->get_object()};
  if (asking) asking();
  auto answered =
      co_await call_handler_or_decline(proxy_, executor_, handlers_.form, "the input handler form", std::move(request));
  if (!answered) co_return answered.error();
  elicitation_answer given = answered->has_value() ? std::move(**answered) : elicitation_answer{};
  json::object out{{"action", word(given.what)}};
  if (given.what == action::accept) {
    // Nothing is added: the user agreed to exactly this content.
    const auto violation = schema_violation(schema, json::serialize(given.content));
    if (!violation || *violation)
      co_return rpc_error(protocol::code::internal_error, "the answer to the form does not satisfy its schema: " +
                                                              (violation ? **violation : violation.error().what));
    out["content"] = std::move(given.content);
  }
  co_return json::serialize(out);
}

}  // namespace hawser

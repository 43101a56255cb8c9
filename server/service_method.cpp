// SPDX-License-Identifier: MIT
#include "service_method.hpp"

#include <algorithm>
#include <array>

#include "../runtime/async/when.hpp"
#include "../runtime/crypto.hpp"
#include "../runtime/guarded.hpp"
#include "../transports/json/json_text.hpp"
#include "../transports/json/object_writer.hpp"
#include "../transports/jsonrpc/protocol_table.hpp"
#include "list_page.hpp"

namespace hawser {

namespace {

namespace method = protocol::method;
using kind = service_method::kind;

constexpr service_method served(std::string_view name, kind what, bool server_info::* needs,
                                list_kind list = list_kind::tools) {
  return {.name = name, .what = what, .needs = needs, .cacheable = protocol::is_cacheable(name), .list = list};
}

constexpr std::array methods{
    served(method::tools_list, kind::list, &server_info::tools, list_kind::tools),
    served(method::tools_call, kind::call_tool, &server_info::tools),
    served(method::resources_list, kind::list, &server_info::resources, list_kind::resources),
    served(method::resources_templates_list, kind::list, &server_info::resources, list_kind::resource_templates),
    served(method::resources_read, kind::read_resource, &server_info::resources),
    served(method::prompts_list, kind::list, &server_info::prompts, list_kind::prompts),
    served(method::prompts_get, kind::get_prompt, &server_info::prompts),
    served(method::complete, kind::complete, &server_info::completions),
};

bool is_text(std::string_view json) { return json.starts_with('"'); }
bool all_members(std::string_view object, bool (*are)(std::string_view)) {
  bool so_far = true;
  for_each_member(object, [&](std::string_view, std::string_view value) { return so_far = are(value); });
  return so_far;
}

const char* what_is_wrong(kind what, std::string_view params) {
  const std::string_view arguments = find_member(params, "arguments");
  switch (what) {
    case kind::list: return nullptr;
    case kind::call_tool:
      if (!is_text(find_member(params, "name"))) return "params.name, the tool's, is not a string";
      return arguments.empty() || is_object(arguments) ? nullptr : "params.arguments is not an object";
    case kind::read_resource: return is_text(find_member(params, "uri")) ? nullptr : "params.uri is not a string";
    case kind::get_prompt:
      if (!is_text(find_member(params, "name"))) return "params.name, the prompt's, is not a string";
      return arguments.empty() || (is_object(arguments) && all_members(arguments, is_text))
                 ? nullptr
                 : "params.arguments is not an object of strings";
    case kind::complete: {
      const std::string_view ref = find_member(params, "ref");
      const auto type = text_of(find_member(ref, "type"));
      const bool prompt = type == "ref/prompt" && is_text(find_member(ref, "name"));
      const bool resource = type == "ref/resource" && is_text(find_member(ref, "uri"));
      if (!prompt && !resource) return "params.ref is neither a prompt's nor a resource's";
      const std::string_view argument = find_member(params, "argument");
      const bool named = is_text(find_member(argument, "name")) && is_text(find_member(argument, "value"));
      return named ? nullptr : "params.argument has no name and value";
    }
  }
  return nullptr;
}

task<result<service_result>> handle(service& what, kind which, request_context& request) {
  switch (which) {
    case kind::call_tool: return what.call_tool(request);
    case kind::read_resource: return what.read_resource(request);
    case kind::get_prompt: return what.get_prompt(request);
    default: return what.complete(request);
  }
}

// Tool errors: what the model can act on is a result; what the client did wrong is an error.
result<std::string> failure(kind what, error why) {
  if (why.code == errc::tool_unknown) return invalid_params(std::move(why.what));
  if (what != kind::call_tool || why.code == errc::remote || why.code == errc::cancelled) return why;
  return failed_result(why.what);
}

// MissingRequiredClientCapability, where the revision has a code for it.
result<std::string> cannot_ask(kind what, const input_request& question, const std::string& missing,
                               std::string_view revision) {
  std::string text = "this needs a client that declares the capability " + missing + " and answers " + question.method;
  if (protocol::has_error(protocol::code::missing_capability, revision))
    return error{.code = errc::remote,
                 .what = std::move(text),
                 .native = protocol::code::missing_capability,
                 .data = object_writer{}.member("requiredCapabilities", missing).done()};
  if (what == kind::call_tool) return failed_result(text);
  return invalid_params(std::move(text));
}

// The response to one input request, held until the others have arrived.
struct held_answer {
  raw_json json;
  byte_budget::share held;
};

task<result<held_answer>> ask_one(const method_context& means, input_request question, std::string about) {
  if (!means.over.has_room(question.params.size()))
    co_return error{.code = errc::too_large, .what = "it has not read what it was sent before"};
  const duration patience = means.options.input_timeout;
  const prepared_request request = prepared_request::verbatim(question.method, question.params);
  const call_options options{.idle_timeout = patience, .hard_timeout = patience, .related_request = std::move(about)};
  auto answer = co_await means.side.call(request, {}, options);
  if (!answer) co_return answer.error();
  if (auto valid = answer->check(); !valid) co_return valid.error();
  if (!is_object(answer->text())) co_return error{.code = errc::protocol, .what = "its result is no object"};
  auto held = means.held.take(answer->text().size());
  if (!held) co_return error{.code = errc::too_large, .what = "its answers are too large to be held at once"};
  co_return held_answer{std::move(*answer), *std::move(held)};
}

// Before 2026-07-28 the server asks by sending requests of its own.
task<result<std::string>> ask(const method_context& means, std::vector<input_request> input_requests,
                              std::string about) {
  std::vector<task<result<held_answer>>> asked;
  for (input_request& question : input_requests) {
    // URL mode (2025-11-25) needs an elicitationId, so that its completion can be notified.
    if (text_of(find_member(question.params, "mode")) == "url" &&
        find_member(question.params, "elicitationId").empty()) {
      object_writer named;
      named.members_of(question.params).text("elicitationId", base64url(random_bytes(12)));
      question.params = named.done();
    }
    asked.push_back(ask_one(means, question, about));
  }
  const auto answers = co_await when_all(std::move(asked));
  object_writer all;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (answers[i]) {
      all.member(input_requests[i].key, answers[i]->json.text());
      continue;
    }
    error why = answers[i].error();
    if (why.code == errc::cancelled) co_return why;
    // The error code is about our request, not about the client's request.
    why.code = errc::protocol;
    co_return prefixed("the client was asked for " + input_requests[i].method + " and failed", std::move(why));
  }
  co_return all.done();
}

text_digest subject_of(const service_method& which, const request_context& request) {
  return pending_inputs::subject_of(which.name, request.name(), request.arguments());
}

// 2026-07-28: the client retries with the responses and with our token for the state.
result<std::string> ask_for_retry(const method_context& means, const text_digest& client, const text_digest& subject,
                                  std::size_t number, service_result asked) {
  auto name =
      means.rounds.add(client, subject, {.number = number + 1, .state = std::move(asked.state)}, means.home.now());
  if (!name) return name.error();
  object_writer requests;
  for (const input_request& question : asked.input_requests) {
    object_writer one;
    requests.member(question.key, one.text("method", question.method).member("params", question.params).done());
  }
  object_writer result;
  result.text("resultType", "input_required").member("inputRequests", requests.done());
  return result.text("requestState", *name).done();
}

// Takes the input responses and the state from a retry. Returns how often the client was asked before.
result<std::size_t> take_answers(const method_context& means, const service_method& which, request_context& request) {
  const std::string_view responses = find_member(request.params(), "inputResponses");
  const std::string_view given = find_member(request.params(), "requestState");
  if (!responses.empty() && !(is_object(responses) && all_members(responses, is_object)))
    return invalid_params("params.inputResponses is not an object of objects");
  pending_inputs::round current;
  if (!given.empty()) {
    const auto name = text_of(given);
    if (!name) return invalid_params("params.requestState is not a string");
    auto resumed = means.rounds.resume(*name, subject_of(which, request), means.home.now());
    if (!resumed) return resumed.error();
    current = std::move(*resumed);
  }
  request.answered(std::string{responses}, std::move(current.state));
  return current.number;
}

result<std::string> shaped(const service_method& which, const client_description& client, std::string result) {
  auto valid = validate_json(result);
  if (!valid || !is_object(result))
    return error{.code = errc::protocol,
                 .what = "what serves " + std::string{which.name} + " gave no valid object as its result"};
  if (client.modern()) return result;
  if (which.what == kind::call_tool) return revision_adapter::tool_result(result, client.revision);
  if (which.what == kind::get_prompt) return revision_adapter::prompt_result(result, client.revision);
  return revision_adapter::other_result(result, client.revision);
}

task<result<std::string>> serve_in_rounds(const method_context& means, const service_method& which,
                                          request_context& request) {
  const std::string& revision = request.client().revision;
  const bool repeats = protocol::has(protocol::feature::input_required, revision);  // the client, with the answers
  std::size_t number = 0;
  if (repeats) {
    auto asked_before = take_answers(means, which, request);
    if (!asked_before) co_return asked_before.error();
    number = *asked_before;
  }
  while (true) {
    const std::string callback = which.what == kind::call_tool ? "the tool " + json_string(request.name())
                                                               : "the handler of " + std::string{which.name};
    auto handling = guarded_task(callback, [&] { return handle(means.what, which.what, request); }, &means.home.log());
    auto got = co_await std::move(handling);
    if (!got) co_return failure(which.what, got.error());
    if (got->input_requests.empty()) co_return shaped(which, request.client(), std::move(got->result));
    if (which.what == kind::complete)
      co_return error{.code = errc::protocol, .what = "what serves completion/complete may not ask questions"};
    for (const input_request& question : got->input_requests) {
      const std::string missing = request.client().missing_capabilities(question);
      if (!missing.empty()) co_return cannot_ask(which.what, question, missing, revision);
    }
    if (repeats) {
      auto again =
          ask_for_retry(means, digest_of(request.client().info), subject_of(which, request), number, std::move(*got));
      if (!again) co_return failure(which.what, again.error());
      co_return again;
    }
    if (++number > means.options.rounds.max_rounds)
      co_return failure(which.what, {.code = errc::too_large, .what = "the client was asked too many times"});
    std::string on_behalf_of = request.id();
    auto answers = co_await ask(means, std::move(got->input_requests), std::move(on_behalf_of));
    if (!answers) co_return failure(which.what, answers.error());
    request.answered(std::move(*answers), std::move(got->state));
  }
}

}  // namespace

const server_info& info_of(const service& what, const loop& home) {
  static const server_info none{.info = R"({"name":"unknown","version":"0"})", .tools = false};
  const server_info* card = &none;
  call_guarded(home.log(), "info of the service", [&] { card = &what.info(); });
  return *card;
}

const service_method* service_method::find(std::string_view name) noexcept {
  const auto* found =
      std::find_if(methods.begin(), methods.end(), [&](const service_method& m) { return m.name == name; });
  return found == methods.end() ? nullptr : found;
}

task<result<std::string>> serve_method(const method_context& means, const service_method& method,
                                       request_context& request) {
  if (const char* wrong = what_is_wrong(method.what, request.params())) co_return invalid_params(wrong);
  const std::string& revision = request.client().revision;
  result<std::string> served;
  if (method.what == kind::list) {
    auto listing = guarded_task(
        "the handler of " + std::string{method.name}, [&] { return means.what.list(method.list); }, &means.home.log());
    auto items = co_await std::move(listing);
    if (!items) co_return items.error();
    served = list_page(method.list, **items, request.params(), means.options.page_size, revision);
  } else {
    served = co_await serve_in_rounds(means, method, request);
  }
  if (!protocol::modern(revision)) co_return served;
  if (!served) {
    error why = served.error();
    const bool missing = why.code == errc::remote && why.native == protocol::code::resource_not_found;
    if (missing && !protocol::has_error(protocol::code::resource_not_found, revision))
      why.native = protocol::code::invalid_params;
    co_return why;
  }
  // an input_required result may not be cached
  const bool complete = find_member(*served, "resultType") != "\"input_required\"";
  const revision_adapter::cache_hint* keep = method.cacheable && complete ? &means.options.default_cache_hint : nullptr;
  co_return revision_adapter::modern_result(*served, info_of(means.what, means.home).info, keep);
}

}  // namespace hawser

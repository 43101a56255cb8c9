// SPDX-License-Identifier: MIT
// `hawser complete`: completion suggestions for an argument of a prompt or a resource template.
#include <boost/json.hpp>
#include <span>

#include "../../runtime/redaction.hpp"
#include "../../transports/json/json_text.hpp"
#include "../../transports/redacted_json.hpp"
#include "call_arguments.hpp"
#include "command_context.hpp"
#include "commands.hpp"
#include "find_owner.hpp"

namespace hawser::cli {

namespace {

namespace json = boost::json;

result<std::string> params_of(const complete_options& options) {
  const std::string& first = options.words.front();
  const std::size_t at = first.find('=');
  if (at == std::string::npos || at == 0) {
    return error{.code = errc::parse, .what = json_string(first) + " is not argument=beginning"};
  }
  const auto known = text_arguments(std::span{options.words}.subspan(1));
  if (!known) return known.error();
  const bool of_prompt = !options.prompt.empty();
  std::string params = of_prompt ? R"({"ref":{"type":"ref/prompt","name":)" : R"({"ref":{"type":"ref/resource","uri":)";
  append_quoted(params, of_prompt ? options.prompt : options.resource);
  params += R"(},"argument":{"name":)";
  append_quoted(params, std::string_view{first}.substr(0, at));
  params += R"(,"value":)";
  append_quoted(params, std::string_view{first}.substr(at + 1));
  params += '}';
  if (*known != "{}") params.append(R"(,"context":{"arguments":)").append(*known).append("}");
  return params + '}';
}

// A server may repeat secrets that it was given.
void print_values(output& to, const redaction& secrets, const json::value& answer) {
  const json::object* members = answer.if_object();
  const json::value* completion = members != nullptr ? members->if_contains("completion") : nullptr;
  const json::object* inner = completion != nullptr ? completion->if_object() : nullptr;
  const json::value* values = inner != nullptr ? inner->if_contains("values") : nullptr;
  if (values == nullptr || !values->is_array()) return;
  for (const json::value& value : values->get_array()) {
    if (!value.is_string()) continue;
    to.text(secrets.apply(value.get_string()), whole_line);
    to.line({});
  }
}

task<result<exit_code>> complete(command_context& e, const complete_options& options) {
  auto params = params_of(options);
  if (!params) {
    co_return print_usage_error(e.screen, options, params.error());
  }
  const bool of_prompt = !options.prompt.empty();
  const list_kind what = of_prompt ? list_kind::prompts : list_kind::resource_templates;
  const std::string member = of_prompt ? "name" : "uriTemplate";
  const std::string& wanted = of_prompt ? options.prompt : options.resource;
  auto owner = co_await find_owner(e, options.server, what, member, wanted);
  if (!owner) co_return std::move(owner).error();
  auto answer = co_await e.servers.complete(*owner, *std::move(params));
  if (!answer) co_return std::move(answer).error();
  const auto parsed = answer->parse();
  if (!parsed) co_return parsed.error();
  if (options.json) {
    e.screen.out.line(escaped_json(redacted_json(*e.home.redactions(), answer->text())));
  } else {
    print_values(e.screen.out, *e.home.redactions(), *parsed);
  }
  co_return exit_code::ok;
}

}  // namespace

int complete_command(terminal& screen, const complete_options& options) {
  command_plan plan;
  plan.work = [&](command_context& e) { return complete(e, options); };
  plan.subject = command_subject::server_or_all(options.server);
  return run_command(screen, options, std::move(plan));
}

}  // namespace hawser::cli

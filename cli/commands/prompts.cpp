// SPDX-License-Identifier: MIT
// `hawser prompts` lists the prompts of the servers; `hawser prompt` gets one with its arguments filled in.
#include <boost/json.hpp>

#include "../terminal/table.hpp"
#include "call_arguments.hpp"
#include "command_context.hpp"
#include "commands.hpp"
#include "find_owner.hpp"

namespace hawser::cli {

namespace {

namespace json = boost::json;

// "city, style?": optional arguments have a question mark.
std::string arguments_of(const json::value& prompt) {
  std::string all;
  const json::object* members = prompt.if_object();
  const json::value* arguments = members != nullptr ? members->if_contains("arguments") : nullptr;
  if (arguments == nullptr || !arguments->is_array()) return all;
  for (const json::value& one : arguments->get_array()) {
    const json::value* required = one.is_object() ? one.get_object().if_contains("required") : nullptr;
    const bool needed = required != nullptr && required->is_bool() && required->get_bool();
    all.append(all.empty() ? "" : ", ").append(string_member(one, "name")).append(needed ? "" : "?");
  }
  return all;
}

task<result<exit_code>> list_prompts(command_context& e, const server_options& options) {
  std::vector<list_kind> kinds{list_kind::prompts};
  auto lists = co_await read_lists(e, options.server, std::move(kinds));
  if (!lists) co_return lists.error();
  redact(e, *lists);
  table rows{"PROMPT", "SERVER", "ARGUMENTS", "DESCRIPTION"};
  json::array all;
  for (const server_list& one : lists->all) {
    for (const json::value& element : one.elements) {
      rows.add({{escaped(string_member(element, "name"), whole_line), text_style::bold},
                {escaped(one.server)},
                {escaped(arguments_of(element), whole_line)},
                {escaped(string_member(element, "description"), whole_line)}});
      all.push_back(json::object{{"server", one.server}, {"definition", element}});
    }
  }
  if (options.json) {
    const json::object document{{"prompts", std::move(all)}};
    print_document(e, json::serialize(document));
  } else if (!rows.empty()) {
    rows.print_to(e.screen.out);
  }
  co_return lists->code;
}

// A message's content as text.
std::string said_in(const json::value& content) {
  const std::string type = string_member(content, "type");
  if (type == "text") return string_member(content, "text");
  const json::object* members = content.if_object();
  const json::value* resource = members != nullptr ? members->if_contains("resource") : nullptr;
  if (resource == nullptr)
    return "[" + type + ": " + string_member(content, "mimeType") + string_member(content, "uri") + "]";
  const std::string text = string_member(*resource, "text");
  return text.empty() ? "[resource: " + string_member(*resource, "uri") + "]" : text;
}

void print_messages(output& to, const json::value& answer) {
  const json::object* members = answer.if_object();
  const json::value* messages = members != nullptr ? members->if_contains("messages") : nullptr;
  if (messages == nullptr || !messages->is_array()) return;
  for (const json::value& message : messages->get_array()) {
    const json::value* content = message.is_object() ? message.get_object().if_contains("content") : nullptr;
    to.line({styled(text_style::bold, escaped(string_member(message, "role"))), styled(text_style::bold, ":")});
    if (content != nullptr) to.text_lines(said_in(*content));
  }
}

task<result<exit_code>> get_prompt(command_context& e, const prompt_options& options) {
  auto arguments = text_arguments(options.words);
  if (!arguments) {
    co_return print_usage_error(e.screen, options, arguments.error());
  }
  auto owner = co_await find_owner(e, options.server, list_kind::prompts, "name", options.name);
  if (!owner) co_return std::move(owner).error();
  request_options settings;
  settings.timeout = options.timeout();
  auto answer = co_await e.servers.get_prompt(*owner, options.name, *std::move(arguments), std::move(settings));
  if (!answer) co_return std::move(answer).error();
  const auto parsed = answer->parse();
  if (!parsed) co_return parsed.error();
  if (options.json) {
    e.screen.out.line(escaped_json(answer->text()));
  } else {
    print_messages(e.screen.out, *parsed);
  }
  co_return exit_code::ok;
}

}  // namespace

int prompts_command(terminal& screen, const server_options& options) {
  command_plan plan;
  plan.work = [&](command_context& e) { return list_prompts(e, options); };
  plan.timeout_applies_to = command_plan::timeout_scope::each_server;
  plan.subject = command_subject::server_or_all(options.server);
  return run_command(screen, options, std::move(plan));
}

int prompt_command(terminal& screen, const prompt_options& options) {
  command_plan plan;
  plan.work = [&](command_context& e) { return get_prompt(e, options); };
  plan.subject = command_subject::server_or_all(options.server);
  return run_command(screen, options, std::move(plan));
}

}  // namespace hawser::cli

// SPDX-License-Identifier: MIT
// `hawser read`: the contents of a resource.
#include <boost/json.hpp>

#include "../../runtime/crypto.hpp"
#include "command_context.hpp"
#include "commands.hpp"
#include "find_owner.hpp"

namespace hawser::cli {

namespace {

namespace json = boost::json;

error broken_answer(const std::string& what) { return error{.code = errc::protocol, .what = what}; }

// One item of the contents: text, or bytes in base64.
result<void> print_part(output& to, const json::value& part, bool raw) {
  const json::object* members = part.if_object();
  if (members == nullptr) return broken_answer("the answer has contents that are no objects");
  if (members->contains("text")) {
    const std::string text = string_member(part, "text");
    if (raw) return to.write_raw(text);
    to.text_lines(text);
    return {};
  }
  const auto bytes = from_base64(string_member(part, "blob"));
  if (!bytes) return broken_answer("the answer has contents that are neither text nor base64");
  if (raw || !to.is_terminal()) return to.write_raw(*bytes);
  const std::string type = string_member(part, "mimeType");
  to.line({"[", type.empty() ? safe_text{"bytes"} : escaped(type), ", ",
           decimal(static_cast<std::int64_t>(bytes->size())), " bytes; --raw writes them to a file]"});
  return {};
}

task<result<exit_code>> read_resource(command_context& e, const read_options& options) {
  auto owner = co_await find_owner(e, options.server, list_kind::resources, "uri", options.uri);
  if (!owner) co_return std::move(owner).error();
  e.progress.show(safe_text{"reading ", escaped(options.uri)});
  request_options settings;
  settings.timeout = options.timeout();
  auto answer = co_await e.servers.read_resource(*owner, options.uri, std::move(settings));
  e.progress.end();
  if (!answer) co_return std::move(answer).error();
  const auto parsed = answer->parse();
  if (!parsed) co_return parsed.error();
  if (options.json) {
    e.screen.out.line(escaped_json(answer->text()));
    co_return exit_code::ok;
  }
  const json::object* members = parsed->if_object();
  const json::value* contents = members != nullptr ? members->if_contains("contents") : nullptr;
  if (contents == nullptr || !contents->is_array()) co_return broken_answer("the answer has no contents");
  for (const json::value& part : contents->get_array()) {
    if (auto printed = print_part(e.screen.out, part, options.raw); !printed) co_return std::move(printed).error();
  }
  co_return exit_code::ok;
}

}  // namespace

int read_command(terminal& screen, const read_options& options) {
  const auto unusable = options.raw ? raw_output_error(screen, options) : std::nullopt;
  if (unusable) return finish_output(screen, print_usage_error(screen, options, *unusable));
  command_plan plan;
  plan.work = [&](command_context& e) { return read_resource(e, options); };
  plan.subject = command_subject::server_or_all(options.server);
  return run_command(screen, options, std::move(plan));
}

}  // namespace hawser::cli

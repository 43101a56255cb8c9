// SPDX-License-Identifier: MIT
// `hawser call`: calls one tool once.
#include <algorithm>
#include <boost/json.hpp>
#include <cmath>

#include "../../transports/json/json_text.hpp"
#include "../terminal/standard_input.hpp"
#include "call_arguments.hpp"
#include "command_context.hpp"
#include "commands.hpp"
#include "find_tool.hpp"

namespace hawser::cli {

namespace {

// The number is from the server and may have any value.
safe_text whole(double number) {
  constexpr double largest = 1e15;
  return decimal(static_cast<std::int64_t>(std::isfinite(number) ? std::clamp(number, -largest, largest) : 0));
}

void show_progress(progress_line& at, const std::string& tool, const progress_update& made) {
  safe_text text{"calling ", escaped(tool), ": ", whole(made.progress)};
  if (made.total) text += safe_text{" of ", whole(*made.total)};
  if (!made.message.empty()) text += safe_text{" ", escaped(made.message)};
  at.show(std::move(text));
}

// result_document() of a result that is too large for a tree: without defaults, and with blocks of unknown types as
// sent.
std::string document_as_sent(const envelope& answer) {
  std::string_view content = "[]";
  std::string_view structured;
  std::string_view meta;
  for_each_member(answer.raw(), [&](std::string_view name, std::string_view value) {
    if (same_name(name, "content")) content = value;
    if (same_name(name, "structuredContent")) structured = value;
    if (same_name(name, "_meta") && is_object(value)) meta = value;
    return true;
  });
  std::string text = "{\"data\":";
  text += structured.empty() ? content : structured;
  text += answer.is_error() ? R"(,"meta":{"isError":true)" : R"(,"meta":{"isError":false)";
  if (!structured.empty()) text.append(R"(,"content":)").append(content);
  if (!meta.empty()) text.append(R"(,"_meta":)").append(meta);
  return text + "}}";
}

// {data, meta: {isError, content, structuredContent, _meta}}. `meta` leaves out what `data` already shows: the
// content if it is the data, and the structured content if no default was added to it.
std::string result_document(const envelope& answer) {
  auto tree = answer.to_json();
  if (!tree) return document_as_sent(answer);
  boost::json::object whole = *std::move(tree);
  boost::json::object& about = whole.at("meta").as_object();
  std::string data;
  if (const boost::json::value* structured = about.if_contains("structuredContent")) {
    if (*structured == whole.at("data")) {
      // As sent, so that numbers keep their digits.
      for_each_member(answer.raw(), [&](std::string_view name, std::string_view value) {
        if (same_name(name, "structuredContent")) data = value;
        return true;
      });
      about.erase("structuredContent");
    }
  } else {
    about.erase("content");
  }
  if (data.empty()) data = boost::json::serialize(whole.at("data"));
  return "{\"data\":" + data + ",\"meta\":" + boost::json::serialize(about) + '}';
}

// With --raw: prints the exact bytes of the text blocks, or nothing. The call was made in either case.
exit_code print_exact(terminal& screen, const envelope& answer) {
  const auto text = answer.exact_text();
  if (text) {
    auto written = screen.out.write_raw(*text);
    ignore(written, "why_not_raw() has seen to terminals");
    return exit_code::ok;
  }
  error why = text.error();
  why.what += "; --raw writes texts only, so nothing was written; the call was made: --json prints all of a result";
  print_error(screen.err, why);
  return exit_code::not_written;
}

exit_code print_result(terminal& screen, const call_command_options& options, const envelope& answer) {
  if (options.raw) return print_exact(screen, answer);
  output& to = screen.out;
  if (options.json) {
    to.line(escaped_json(result_document(answer)));
  } else {
    to.text_lines(to.is_terminal() ? answer.text() : answer.whole_text());
  }
  return exit_code::ok;
}

task<result<exit_code>> call_tool(command_context& e, const call_command_options& options) {
  auto found = co_await find_tool(e, options.tool, options.server);
  if (!found) co_return std::move(found).error();
  auto arguments = call_arguments(options.words, found->input_schema);
  if (!arguments) {
    error why = arguments.error();
    why.what = e.home.redactions()->apply(why.what);  // it contains names from the tool's schema
    co_return print_usage_error(e.screen, options, why);
  }
  e.progress.show(safe_text{"calling ", escaped(found->name)});
  request_options settings;
  settings.timeout = options.timeout();
  settings.on_progress = [&](const progress_update& made) { show_progress(e.progress, options.tool, made); };
  auto answer = co_await e.servers.call(found->name, *std::move(arguments), std::move(settings));
  e.progress.end();
  if (!answer) co_return std::move(answer).error();
  const exit_code printed = print_result(e.screen, options, *answer);
  co_return answer->is_error() ? exit_code::failure : printed;
}

}  // namespace

int call_command(terminal& screen, const call_command_options& options) {
  const auto unusable = options.raw ? raw_output_error(screen, options) : std::nullopt;
  if (unusable) return finish_output(screen, print_usage_error(screen, options, *unusable));
  call_command_options read = options;
  if (read.words.size() == 1 && read.words.front() == "-") {
    auto text = read_standard_input();
    if (!text) {
      return finish_output(screen, print_usage_error(screen, options, text.error()));
    }
    read.words.front() = *std::move(text);
  }
  command_plan plan;
  plan.work = [&](command_context& e) { return call_tool(e, read); };
  plan.subject = {.type = command_subject::kind::tool, .name = read.tool};
  if (!read.server.empty()) plan.subject = command_subject::server_or_all(read.server);
  return run_command(screen, read, std::move(plan));
}

}  // namespace hawser::cli

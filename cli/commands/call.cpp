// SPDX-License-Identifier: MIT
// `hawser call`: one tool, once.
#include <algorithm>
#include <boost/json.hpp>
#include <cmath>

#include "../call_arguments.hpp"
#include "../errand.hpp"
#include "../find_tool.hpp"
#include "../standard_input.hpp"
#include "commands.hpp"

namespace hawser::cli {

namespace {

// A number of the server's, which may be any.
safe_text whole(double number) {
  constexpr double largest = 1e15;
  return decimal(static_cast<std::int64_t>(std::isfinite(number) ? std::clamp(number, -largest, largest) : 0));
}

void show_progress(progress& at, const std::string& tool, const progress_update& made) {
  safe_text text{"calling ", escaped(tool), ": ", whole(made.progress)};
  if (made.total) text += safe_text{" of ", whole(*made.total)};
  if (!made.message.empty()) text += safe_text{" ", escaped(made.message)};
  at.show(std::move(text));
}

result<void> print_result(output& to, const call_command_options& options, const envelope& answer) {
  if (options.raw) return to.exact(answer.text());
  if (options.json) {
    to.line(escaped_json(boost::json::serialize(answer.to_json())));
  } else {
    const std::string text = answer.text();
    to.print({escaped(text, whole_text)});
    if (!text.ends_with('\n')) to.line({});
  }
  return {};
}

// What a program has to know that decides whether to repeat the call.
void print_error(output& to, const error& why) {
  boost::json::object fields{{"code", to_string(why.code)},
                             {"message", why.what},
                             {"executed", why.executed == execution::no ? "no" : "unknown"}};
  if (!why.server.empty()) fields.emplace("server", why.server);
  if (!why.phase.empty()) fields.emplace("phase", why.phase);
  if (why.retry_after) fields.emplace("retry_after", why.retry_after->count());
  to.line(escaped_json(boost::json::serialize(boost::json::object{{"error", std::move(fields)}})));
}

task<result<exit_code>> call_tool(errand& e, const call_command_options& options) {
  auto found = co_await find_tool(e, options.tool, options.server);
  if (!found) co_return std::move(found).error();
  auto arguments = call_arguments(options.words, found->input_schema);
  if (!arguments) {
    complain(e.screen.err, arguments.error());
    co_return exit_code::usage;
  }
  e.waiting.show(safe_text{"calling ", escaped(found->name)});
  call_settings settings;
  settings.timeout = options.timeout();
  settings.on_progress = [&](const progress_update& made) { show_progress(e.waiting, options.tool, made); };
  auto answer = co_await e.servers.call(found->name, *std::move(arguments), std::move(settings));
  e.waiting.end();
  if (!answer) co_return std::move(answer).error();
  if (auto printed = print_result(e.screen.out, options, *answer); !printed) co_return std::move(printed).error();
  co_return answer->is_error() ? exit_code::no : exit_code::ok;
}

}  // namespace

int call_command(terminal& screen, const call_command_options& options) {
  call_command_options read = options;
  if (read.words.size() == 1 && read.words.front() == "-") {
    auto text = read_standard_input();
    if (!text) {
      complain(screen.err, text.error());
      return static_cast<int>(exit_code::usage);
    }
    read.words.front() = *std::move(text);
  }
  errand_plan plan;
  plan.work = [&](errand& e) { return call_tool(e, read); };
  plan.about = {.of = command_subject::kind::tool, .name = read.tool};
  if (!read.server.empty()) plan.about = command_subject::server_or_all(read.server);
  if (read.json) plan.on_error = [&](const error& why) { print_error(screen.out, why); };
  return run_errand(screen, read, std::move(plan));
}

}  // namespace hawser::cli

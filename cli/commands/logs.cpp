// SPDX-License-Identifier: MIT
// `hawser logs`: shows a server's stderr.
#include <boost/json.hpp>

#include "../../runtime/async/sleep.hpp"
#include "command_context.hpp"
#include "commands.hpp"
#include "error_document.hpp"
#include "text_tail.hpp"

namespace hawser::cli {

namespace {

void print_log(output& to, std::string_view text, bool json) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (json) {
      to.line(escaped_json(boost::json::serialize(boost::json::object{{"line", line}})));
    } else {
      to.text(line, whole_line);
      to.line({});
    }
  }
}

task<result<exit_code>> follow(command_context& e, const logs_options& options, std::string seen) {
  constexpr auto look_again = std::chrono::milliseconds{200};
  while (true) {
    auto shown = co_await e.screen.out.flush();
    if (!shown) co_return std::move(shown).error();
    auto waited = co_await sleep_for(look_again);
    if (!waited) co_return std::move(waited).error();
    std::string now = e.servers.stderr_tail(options.server);
    print_log(e.screen.out, whole_lines(appended_text(seen, now)), options.json);
    // Keep an unfinished line for the next round.
    const std::string_view news = appended_text(seen, now);
    now.resize(now.size() - (news.size() - whole_lines(news).size()));
    seen = std::move(now);
  }
}

task<result<exit_code>> show_logs(command_context& e, const logs_options& options) {
  const auto asked = co_await start_and_report(e, options.server, readiness::connected);
  if (!asked) co_return asked.error();
  std::string tail = e.servers.stderr_tail(options.server);
  // Redaction would miss the beginning of a secret in an unfinished line.
  if (options.follow) tail.resize(whole_lines(tail).size());
  print_log(e.screen.out, tail, options.json);
  if (options.follow) co_return co_await follow(e, options, std::move(tail));
  if (options.json && !e.failures.empty()) print_error_document(e.screen.out, e.failures.front());
  co_return asked->code;
}

}  // namespace

int logs_command(terminal& screen, const logs_options& options) {
  command_plan plan;
  plan.work = [&](command_context& e) { return show_logs(e, options); };
  plan.subject = command_subject::server_or_all(options.server);
  if (options.follow) plan.ends = command_plan::ending::on_interrupt;
  return run_command(screen, options, std::move(plan));
}

}  // namespace hawser::cli

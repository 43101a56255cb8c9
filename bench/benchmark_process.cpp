// SPDX-License-Identifier: MIT
#include "benchmark_process.hpp"

#include <boost/json/parse.hpp>

#include "../runtime/async/timeout.hpp"
#include "harness.hpp"

namespace hawser::bench {

namespace {

// The longest benchmark takes a few minutes on a slow machine.
constexpr auto question_timeout = std::chrono::minutes{30};
constexpr std::size_t most_bytes = std::size_t{16} << 20;

task<result<std::string>> everything_from(stream& from) {
  std::string all;
  while (all.size() < most_bytes) {
    auto piece = co_await from.read_some();
    if (!piece) {
      if (piece.error().code == errc::closed) co_return all;
      co_return piece.error();
    }
    all += *piece;
    from.consume(piece->size());
  }
  co_return error{errc::too_large, "it printed more than 16 MiB"};
}

result<json_lines> lines_of(std::string_view text) {
  json_lines made;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    boost::system::error_code failed;
    const auto value = boost::json::parse(line, failed);
    if (failed || !value.is_object())
      return error{errc::parse, "it printed what is no line of JSON: " + std::string{line}};
    made.push_back(value.get_object());
  }
  return made;
}

}  // namespace

task<benchmark_output> ask(keeper& starts, std::vector<std::string> arguments) {
  benchmark_output made{.question = arguments.front()};
  const std::string subject = "hawser-bench " + made.question + ": ";
  arguments.emplace_back("--json");
  command what{.program = sibling("hawser-bench"),
               .arguments = std::move(arguments),
               .env = {.from = environment::base::inherit},
               .input = stdio::null,
               .errors = stdio::inherit};
  auto started = co_await starts.spawn(std::move(what));
  if (!started) {
    made.failure = subject + started.error().what;
    co_return made;
  }
  auto text = co_await with_timeout(question_timeout, everything_from(started->output()));
  // A benchmark that has printed its results has nothing left to do; one that has not is ended at once.
  const shutdown_timeouts ladder{.after_stdin = std::chrono::seconds{text ? 5 : 0}};
  auto ended = co_await started->shutdown(ladder);
  auto lines = text ? lines_of(*text) : result<json_lines>{text.error()};
  if (lines) made.lines = std::move(*lines);
  if (!lines)
    made.failure = subject + lines.error().what;
  else if (!ended)
    made.failure = subject + ended.error().what;
  else if (ended->signal != 0 || ended->code > 1)
    made.failure = subject + "not everything could be measured: it " + ended->to_string();
  co_return made;
}

}  // namespace hawser::bench

// SPDX-License-Identifier: MIT
#include "other_client.hpp"

#include "../../runtime/async/timeout.hpp"

namespace hawser::bench {

namespace {

// The client's stdin is closed, so it needs no longer.
constexpr shutdown_timeouts short_ladder{.after_stdin = std::chrono::seconds{1},
                                         .after_sigterm = std::chrono::milliseconds{500},
                                         .after_sigkill = std::chrono::seconds{2}};

}  // namespace

other_client::other_client(std::string name, std::string command, wait_limits how_long)
    : name_(std::move(name)), command_(std::move(command)), wait_limits_(how_long) {}

task<result<void>> other_client::join(keeper& by, call_target to) {
  // Its stderr goes to ours: the user typed the command and can interpret its messages.
  command what{.program = "/bin/sh", .arguments = {"-c", command_}, .errors = stdio::inherit};
  what.env.from = environment::base::inherit;
  auto started = co_await by.spawn(std::move(what));
  if (!started) co_return prefixed("peer \"" + name_ + '"', started.error());
  process_.emplace(std::move(*started));
  std::string asked = connect_line(to);
  auto line = co_await answer_to(std::move(asked), 0);
  if (!line) co_return co_await describe(line.error());
  auto version = read_ready(*line);
  if (!version) co_return co_await describe(version.error());
  if (!version->empty()) name_ += ' ' + *version;
  co_return result<void>{};
}

task<result<peer_times>> other_client::run(int count, int in_flight) {
  std::string asked = run_line(count, in_flight);
  const auto begin = std::chrono::steady_clock::now();
  auto line = co_await answer_to(std::move(asked), count);
  if (!line) co_return co_await describe(line.error());
  auto times = read_times(*line, count, in_flight, std::chrono::steady_clock::now() - begin);
  if (!times) co_return co_await describe(times.error());
  co_return times;
}

task<result<std::string>> other_client::answer_to(std::string line, int calls) {
  if (!process_->output().unread().empty())
    co_return error{.code = errc::protocol, .what = "it speaks without being asked"};
  const duration bound = calls == 0 ? wait_limits_.connect : wait_limits_.run + wait_limits_.call * calls;
  process_->input().write(std::move(line));
  co_return co_await with_timeout(bound, read_line(longest_answer(calls)));
}

task<result<std::string>> other_client::read_line(std::size_t longest) {
  stream& from = process_->output();
  for (std::size_t looked_at = 0;;) {
    const std::size_t end = from.unread().find('\n', looked_at);
    if (end != std::string_view::npos) {
      std::string line{from.unread().substr(0, end)};
      from.consume(end + 1);
      co_return line;
    }
    looked_at = from.unread().size();
    if (looked_at > longest)
      co_return error{.code = errc::too_large, .what = "its line has more than " + std::to_string(longest) + " bytes"};
    auto more = co_await from.read_some();
    if (!more) co_return more.error();
  }
}

// Adds the client's name and, if it has exited, how it ended.
task<error> other_client::describe(error why) {
  if (why.code == errc::timed_out) why.what = "it did not answer: " + why.what;
  if (why.code == errc::closed) {
    auto ended = co_await process_->shutdown(short_ladder);
    why.what = "it ended without an answer" + (ended ? ": " + ended->to_string() : std::string{});
  }
  co_return prefixed("peer \"" + name_ + '"', std::move(why));
}

task<void> other_client::end() {
  if (!process_) co_return;
  auto ended = co_await process_->shutdown(short_ladder);
  ignore(ended, "the keeper kills what is left when it closes");
  process_.reset();
}

}  // namespace hawser::bench

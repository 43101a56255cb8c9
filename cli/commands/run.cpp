// SPDX-License-Identifier: MIT
#include "run.hpp"

#include <unistd.h>

#include <csignal>

#include "../../runtime/async/when.hpp"
#include "../../runtime/loop/signal_set.hpp"
#include "../../runtime/process/keeper.hpp"
#include "../exit_code.hpp"
#include "../terminal/output.hpp"
#include "interrupt_handler.hpp"

namespace hawser::cli {

namespace {

int print_run_error(const error& e) {
  output err{STDERR_FILENO};
  err.line({"hawser: ", escaped(e.what)});
  err.finish();
  return not_started;
}

task<result<exit_status>> wait_for_exit(child& c) { co_return co_await c.exited(); }

task<int> supervise(loop& home, const run_options& options) {
  auto signals = signal_set::start(home, {SIGINT, SIGTERM, SIGHUP});
  if (!signals) co_return print_run_error(signals.error());
  command what{.program = options.words.front(), .directory = options.directory};
  what.arguments.assign(options.words.begin() + 1, options.words.end());
  what.env.from = environment::base::inherit;
  what.input = what.output = what.errors = stdio::inherit;
  keeper k{home};
  auto started = co_await k.spawn(std::move(what));
  int code = not_started;
  if (started) {
    // Waits for whichever comes first; shutdown() then ends the rest of the process tree.
    auto first = co_await when_any(wait_for_exit(*started), next_signal(*signals));
    ignore(std::get<0>(first.values), "shutdown() says how it ended");
    const auto grace = std::chrono::duration_cast<duration>(std::chrono::duration<double>{options.grace_seconds});
    const shutdown_timeouts ladder{.after_stdin = first.winner == 0 ? duration::zero() : grace, .after_sigterm = grace};
    auto status = co_await started->shutdown(ladder);
    if (status) {
      code = status->signal != 0 ? 128 + status->signal : status->code;
    } else {
      code = print_run_error(status.error());
    }
  } else {
    print_run_error(started.error());
  }
  auto closed = co_await k.close();
  if (!closed) print_run_error(closed.error());
  co_return code;
}

}  // namespace

int run(const run_options& options) {
  loop home;
  return home.run(supervise(home, options));
}

}  // namespace hawser::cli

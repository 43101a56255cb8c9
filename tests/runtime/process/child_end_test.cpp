// SPDX-License-Identifier: MIT
// How one child ends: by itself, by the ladder, and with a stop in between. Whole trees are process_tree_test's
// business.
#include <sys/wait.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "../../support/every_step.hpp"
#include "children.hpp"

namespace child_end_test {

using namespace hawser;
using namespace hawser::testing::children;
using testing::fixture_command;
using namespace std::chrono_literals;

task<void> start_and_stop(loop& l, std::string token) {
  const testing::counted alive;
  keeper k{l};
  auto made = co_await k.spawn(fixture_command(token, "echo"));
  if (made) {
    made->input().write("hello");
    auto bytes = co_await made->output().read_some();
    ignore(bytes, "only the end matters");
    auto ended = co_await made->shutdown(quick);
    expect(ended.has_value());
  }
  auto closed = co_await k.close();
  expect(closed.has_value());
}

// Down to the last rung.
task<void> start_and_kill(loop& l, std::string token) {
  const testing::counted alive;
  keeper k{l};
  auto made = co_await k.spawn(fixture_command(token, "ignore-sigterm"));
  if (made) {
    auto ready = co_await made->output().read_some();
    ignore(ready, "only the end matters");
    auto ended = co_await made->shutdown({.after_stdin = 1ms, .after_sigterm = 1ms, .after_sigkill = 5s});
    expect(ended.has_value());
  }
  auto closed = co_await k.close();
  expect(closed.has_value());
}

task<void> wait_for_the_end(loop& l, std::string token) {
  const testing::counted alive;
  keeper k{l};
  auto made = co_await k.spawn(fixture_command(token, "exit"));
  if (made) {
    auto alone = co_await made->exited();
    ignore(alone, "only the end matters");
    auto ended = co_await made->shutdown(quick);
    expect(ended.has_value());
  }
  auto closed = co_await k.close();
  expect(closed.has_value());
}

// Neither the program nor the directory is there, and the child's ends are of every kind.
task<void> start_in_vain(loop& l) {
  const testing::counted alive;
  keeper k{l};
  const command nobody{.program = "no-such-program-here"};
  auto none = co_await k.spawn(nobody);
  command nowhere = fixture_command("x", "exit");
  nowhere.directory = "/no/such/directory";
  nowhere.input = stdio::socket;
  nowhere.output = stdio::null;
  nowhere.errors = stdio::inherit;
  auto neither = co_await k.spawn(nowhere);
  expect(none.has_error() && neither.has_error());
  auto closed = co_await k.close();
  expect(closed.has_value());
}

// The ends of a child that the host has none of, or both directions of.
task<void> start_with_other_ends(loop& l, std::string token) {
  const testing::counted alive;
  keeper k{l};
  command other = fixture_command(token, "exit");
  other.input = stdio::null;
  other.output = stdio::socket;
  other.errors = stdio::inherit;
  auto made = co_await k.spawn(std::move(other));
  if (made) {
    auto bytes = co_await made->output().read_some();
    expect(bytes.has_error());
    auto ended = co_await made->shutdown(quick);
    expect(ended.has_value());
  }
  auto closed = co_await k.close();
  expect(closed.has_value());
}

// Ends that come just as a command is on its way to the warden.
task<int> ends_seen(loop& l, int count) {
  keeper k{l};
  int seen = 0;
  for (int i = 0; i < count; ++i) {
    auto made = co_await k.spawn(fixture_command("x", i % 2 == 0 ? "echo" : "exit"));
    if (!made) continue;
    const shutdown_timeouts at_once{.after_stdin = i % 3 == 0 ? 0ms : 1s, .after_sigterm = 0ms, .after_sigkill = 5s};
    auto ended = co_await made->shutdown(at_once);
    seen += ended ? 1 : 0;
  }
  auto closed = co_await k.close();
  expect(closed.has_value());
  co_return seen;
}

const suite<"child"> tests = [] {
  "the exit code and the signal of a child are told apart"_test = [] {
    expect(outcome(fixture_command("x", "exit", {"7"}))->status == exit_status{.code = 7, .signal = 0});
    expect(outcome(fixture_command("x", "crash"))->status == exit_status{.code = 0, .signal = SIGKILL});
  };

  "A05 what a child says on stderr before it fails is read to the end"_test = [] {
    const auto r = outcome(fixture_command("x", "noisy-exit"));
    expect(fatal(r.has_value()));
    expect(r->status.code == 1);
    expect(r->errors.size() >= 100U * 1024U && r->errors.ends_with("\n"));
  };

  "an embedder that waits for any child does not disturb us"_test = [] {
    std::atomic<bool> stop = false;
    std::thread embedder{[&] {
      while (!stop) waitpid(-1, nullptr, WNOHANG);
    }};
    for (int i = 0; i < 20; ++i) expect(outcome(fixture_command("x", "exit", {"3"}))->status.code == 3);
    stop = true;
    embedder.join();
  };

  "an embedder that ignores SIGCHLD does not disturb us"_test = [] {
    signal(SIGCHLD, SIG_IGN);
    expect(outcome(fixture_command("x", "exit", {"3"}))->status.code == 3);
    signal(SIGCHLD, SIG_DFL);
  };

  "every end of a child is seen, also one that crosses a command"_test = [] {
    int errors = 0;
    const auto count = [&](const log_record& r) { errors += r.level == log_level::error ? 1 : 0; };
    loop l{loop::options{.log = logger{count, log_level::info}}};
    expect(l.run(ends_seen(l, 300)) == 300);
    expect(errors == 0) << "nobody's warden was killed";
  };

  "a start stopped at every step leaves no process"_test = [] {
    const std::string token = testing::new_token();
    testing::every_step([&](loop& l) { return start_and_stop(l, token); }, {.waits = true});
    testing::every_step([&](loop& l) { return wait_for_the_end(l, token); }, {.waits = true});
    testing::every_step(start_in_vain, {.waits = true});
    testing::every_step([&](loop& l) { return start_with_other_ends(l, token); }, {.waits = true});
    expect(testing::survivors(token, 2000).empty());
  };

  "a child that has to be killed, stopped at every step, is killed all the same"_test = [] {
    const std::string token = testing::new_token();
    testing::every_step([&](loop& l) { return start_and_kill(l, token); }, {.waits = true});
    expect(testing::survivors(token, 2000).empty());
  };
};

}  // namespace child_end_test

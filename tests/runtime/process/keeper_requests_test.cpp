// SPDX-License-Identifier: MIT
// Requests that the keeper does not take: because it hangs, or because nobody wants them any more.
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <vector>

#include "../../../runtime/async/scope.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../../runtime/async/timeout.hpp"
#include "../../support/every_step.hpp"
#include "../../support/keeper_process.hpp"
#include "../../support/manual_clock.hpp"
#include "../../support/temporary_folder.hpp"
#include "children.hpp"

namespace keeper_requests_test {

using namespace hawser;
using namespace hawser::testing::children;
using namespace std::chrono_literals;
using testing::counted;
using testing::fixture_command;
using testing::manual_clock;
using testing::pid_of_keeper;
using testing::run;
using testing::temporary_folder;

task<void> start_into(keeper& k, command what, int& fine, std::vector<error>& failures) {
  auto made = co_await k.spawn(std::move(what));
  if (made) ++fine;
  if (!made) failures.push_back(made.error());
  co_await ended(made);
}

task<void> yields(int count) {
  for (int i = 0; i < count; ++i) co_await yield();
}

// So many that some of them wait for room in its socket, and others for their turn.
task<int> started_beside_a_hanging_keeper(int count, manual_clock& clock) {
  const context where = co_await this_context();
  keeper k{*where.loop};
  auto first = co_await k.spawn(fixture_command("x", "echo"));
  expect(fatal(first.has_value()));
  const int hanging = pid_of_keeper();
  testing::stop_process(hanging);
  int fine = 0;
  std::vector<error> failures;
  {
    scope s{where};
    for (int i = 0; i < count; ++i) s.spawn(start_into(k, fixture_command("x", "exit"), fine, failures));
    co_await yields(10);
    clock.advance(31s);
    co_await s.join();
  }
  expect(failures.empty()) << (failures.empty() ? "" : failures.front().what);
  expect(pid_of_keeper() != hanging);
  first->input().write("still here");
  auto said = co_await first->output().read_some();
  expect(said.has_value()) << "what it had started lives on";
  co_await ended(first);
  co_await closed(k);
  co_return fine;
}

task<void> start_within(keeper& k, duration patience, int& fine) {
  auto made = co_await with_timeout(patience, k.spawn(fixture_command("x", "exit")));
  if (made) ++fine;
  co_await ended(made);
}

// As a host asks, which gives each start no more time than the keeper has, and tries again.
task<int> tries_beside_a_hanging_keeper(duration patience, manual_clock& clock) {
  const context where = co_await this_context();
  keeper k{*where.loop};
  auto first = co_await k.spawn(fixture_command("x", "exit"));
  co_await ended(first);
  testing::stop_process(pid_of_keeper());
  int fine = 0;
  int tries = 0;
  for (; fine == 0 && tries < 10; ++tries) {
    scope s{where};
    s.spawn(start_within(k, patience, fine));
    co_await yields(10);
    if (clock.elapsed() < 30s) clock.advance(patience);
    co_await s.join();
    if (fine == 0) clock.advance(1s);
  }
  expect(fine == 1_i);
  co_await closed(k);
  co_return tries;
}

command touches(const std::string& path) { return {.program = "touch", .arguments = {path}}; }

// Requests lie in its socket when those who asked have gone.
task<void> unwanted(std::string path, int count) {
  const context where = co_await this_context();
  keeper k{*where.loop};
  auto first = co_await k.spawn(fixture_command("x", "echo"));
  expect(fatal(first.has_value()));
  const int pid = pid_of_keeper();
  testing::stop_process(pid);
  int fine = 0;
  std::vector<error> failures;
  scope s{where};
  for (int i = 0; i < count; ++i) s.spawn(start_into(k, touches(path), fine, failures));
  co_await yields(10);
  s.request_stop();
  co_await s.join();
  expect(fine == 0_i && static_cast<int>(failures.size()) == count);
  kill(pid, SIGCONT);
  auto second = co_await k.spawn(fixture_command("x", "echo"));  // it has passed the others over when it takes this one
  expect(second.has_value());
  co_await ended(second);
  co_await ended(first);
  co_await closed(k);
}

task<void> closing(keeper& k, bool& done) {
  co_await closed(k);
  done = true;
}

// It is closed, or has been killed and is closed, while others ask.
task<void> closed_beside_starts(std::string path, int signal_number, int count) {
  const context where = co_await this_context();
  keeper k{*where.loop};
  auto first = co_await k.spawn(fixture_command("x", "exit"));
  co_await ended(first);
  const int pid = pid_of_keeper();
  testing::stop_process(pid);
  int fine = 0;
  bool done = false;
  std::vector<error> failures;
  scope s{where};
  for (int i = 0; i < count; ++i) s.spawn(start_into(k, touches(path), fine, failures));
  co_await yields(5);
  if (signal_number == SIGKILL) kill(pid, SIGKILL);
  s.spawn(closing(k, done));
  co_await yields(5);
  if (signal_number != SIGKILL) kill(pid, signal_number);
  co_await s.join();
  expect(done && fine == 0_i && static_cast<int>(failures.size()) == count) << signal_number << count;
  for (const error& why : failures) expect(why.code == errc::closed) << why.what;
}

task<void> closes_beside_starts(loop& l, std::string token) {
  const counted alive;
  keeper k{l};
  int fine = 0;
  bool done = false;
  std::vector<error> failures;
  {
    scope s{co_await this_context()};
    for (int i = 0; i < 3; ++i) s.spawn(start_into(k, fixture_command(token, "exit"), fine, failures));
    co_await yield();
    s.spawn(closing(k, done));
    co_await s.join();
  }
  co_await closed(k);
}

task<void> waits_for_room(loop& l, std::string token, int count) {
  const counted alive;
  keeper k{l};
  auto first = co_await k.spawn(fixture_command(token, "echo"));
  if (first) {
    const int pid = pid_of_keeper();
    testing::stop_process(pid);
    int fine = 0;
    std::vector<error> failures;
    scope s{co_await this_context()};
    for (int i = 0; i < count; ++i) s.spawn(start_into(k, fixture_command(token, "exit"), fine, failures));
    co_await yields(3);
    kill(pid, SIGCONT);
    co_await s.join();
    co_await ended(first);
  }
  co_await closed(k);
}

task<void> replaces_a_hanging_keeper(loop& l, std::string token, manual_clock& clock) {
  const counted alive;
  keeper k{l};
  auto first = co_await k.spawn(fixture_command(token, "echo"));
  if (first) {
    const int pid = pid_of_keeper();
    const int hanging = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));  // its number may be somebody else's later
    testing::stop_process(pid);
    int fine = 0;
    std::vector<error> failures;
    {
      scope s{co_await this_context()};
      for (int i = 0; i < 2; ++i) s.spawn(start_into(k, fixture_command(token, "exit"), fine, failures));
      co_await yields(10);
      clock.advance(31s);
      co_await s.join();
    }
    syscall(SYS_pidfd_send_signal, hanging, SIGCONT, nullptr, 0);  // where a stop was first, it has not been killed
    close(hanging);
    co_await ended(first);
  }
  co_await closed(k);
}

const suite<"keeper requests"> tests = [] {
  "a keeper that hangs is replaced for all who ask it, after one wait"_test = [] {
    for (const int count : {1, 300}) {
      manual_clock clock{manual_clock::when_idle::stand_still};
      expect(run(clock, started_beside_a_hanging_keeper(count, clock)) == count);
      expect(clock.elapsed() == 31s);
    }
  };

  "a keeper that hangs is replaced though nobody waits for it half a minute"_test = [] {
    for (const auto& [patience, tries] : {std::pair{30s, 2}, {29s, 2}, {5s, 6}}) {
      manual_clock clock{manual_clock::when_idle::stand_still};
      expect(run(clock, tries_beside_a_hanging_keeper(patience, clock)) == tries) << patience.count();
    }
  };

  "replacing a keeper that hangs, stopped at every step, leaves no process"_test = [] {
    const std::string token = testing::new_token();
    manual_clock clock{manual_clock::when_idle::stand_still};
    testing::every_step([&](loop& l) { return replaces_a_hanging_keeper(l, token, clock); },
                        {.clock = &clock, .waits = true});
    expect(testing::survivors(token, 2000).empty());
  };

  "a cancelled start request is not executed"_test = [] {
    const temporary_folder f;
    run(unwanted(f / "touched", 20));
    expect(f.entries() == 0_l);
  };

  "a keeper is closed while others ask it, and starts nothing more"_test = [] {
    const temporary_folder f;
    for (const int count : {1, 20, 300}) {
      for (const int number : {SIGCONT, SIGKILL}) run(closed_beside_starts(f / "touched", number, count));
    }
    expect(f.entries() == 0_l);
  };

  "starts beside a closing, stopped at every step, leave no process"_test = [] {
    const std::string token = testing::new_token();
    testing::every_step([&](loop& l) { return closes_beside_starts(l, token); }, {.waits = true});
    expect(testing::survivors(token, 2000).empty());
  };

  "a start that waits for room, stopped at every step, leaves no process"_test = [] {
    const std::string token = testing::new_token();
    // The socket has room for some two hundred; the last ones wait for it, or for their turn.
    testing::every_step([&](loop& l) { return waits_for_room(l, token, 290); },
                        {.beyond = 0, .waits = true, .stride = testing::instrumented ? 397 : 193});
    expect(testing::survivors(token, 2000).empty());
  };
};

}  // namespace keeper_requests_test

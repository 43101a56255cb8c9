// SPDX-License-Identifier: MIT
#include "../../../runtime/async/scope.hpp"

#include <stdexcept>
#include <vector>

#include "../../../runtime/async/sleep.hpp"
#include "../../support/every_step.hpp"
#include "../../support/manual_clock.hpp"
#include "../../support/run.hpp"
#include "../../support/ut.hpp"

namespace scope_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::counted;
using testing::manual_clock;
using testing::run;

task<void> sleeper(duration length, std::vector<int>& log, int name) {
  const counted alive;
  const auto slept = co_await sleep_for(length);
  log.push_back(slept ? name : -name);
}

task<std::vector<int>> three_at_once() {
  std::vector<int> log;
  scope s{co_await this_context()};
  s.spawn(sleeper(3s, log, 3));
  s.spawn(sleeper(1s, log, 1));
  s.spawn(sleeper(2s, log, 2));
  co_await s.join();
  co_return log;
}

task<std::vector<int>> stopped_in_the_middle() {
  std::vector<int> log;
  scope s{co_await this_context()};
  scope other{co_await this_context()};
  s.spawn(sleeper(1s, log, 1));
  s.spawn(sleeper(3s, log, 3));
  other.spawn(sleeper(4s, log, 4));
  const auto waited = co_await sleep_for(2s);
  expect(waited.has_value());
  s.request_stop();
  co_await s.join();
  co_await other.join();
  co_return log;
}

task<void> nest(int depth) {
  const counted alive;
  scope s{co_await this_context()};
  if (depth > 0) {
    s.spawn(nest(depth - 1));
    s.spawn(nest(depth - 1));
  }
  const auto slept = co_await sleep_for(std::chrono::milliseconds{depth + 1});
  if (!slept) s.request_stop();
  co_await s.join();
}

task<void> five_deep(loop& /*unused*/) { co_await nest(4); }

task<int> body_that_returns_early(scope& s, std::vector<int>& log) {
  s.spawn(sleeper(1h, log, 1));
  co_await yield();
  co_return 7;
}

task<int> body_that_throws(scope& s, std::vector<int>& log) {
  s.spawn(sleeper(1h, log, 1));
  co_await yield();
  throw std::runtime_error{"early"};
}

task<int> early_return(std::vector<int>& log) { co_return co_await with_scope(body_that_returns_early, std::ref(log)); }
task<int> early_throw(std::vector<int>& log) { co_return co_await with_scope(body_that_throws, std::ref(log)); }

task<void> leave_in_the_body(loop& /*unused*/) {
  std::vector<int> log;
  const counted alive;
  co_await early_return(log);
}

task<std::size_t> spawn_after_stop() {
  std::vector<int> log;
  scope s{co_await this_context()};
  s.request_stop();
  s.spawn(sleeper(1h, log, 1));
  co_await s.join();
  co_return log.size();
}

task<void> spawn_more(scope& s, std::vector<int>& log, int left) {
  log.push_back(left);
  if (left > 0) s.spawn(spawn_more(s, log, left - 1));
  co_return;
}

task<void> late_spawner(scope& s, std::vector<int>& log) {
  co_await yield();
  if (s.task_count() == 0) s.spawn(spawn_more(s, log, 0));
}

// Spawns at every moment around the end of the last task.
task<std::size_t> spawned_while_joining() {
  std::vector<int> log;
  scope s{co_await this_context()};
  scope outside{co_await this_context()};
  for (int i = 0; i < 8; ++i) outside.spawn(late_spawner(s, log));
  s.spawn(spawn_more(s, log, 3));
  co_await s.join();
  expect(s.task_count() == 0U);
  co_await outside.join();
  co_await s.join();
  co_return log.size();
}

const suite<"scope"> tests = [] {
  "the tasks of a scope run at once and are joined"_test = [] {
    manual_clock clock;
    expect(run(clock, three_at_once()) == std::vector{1, 2, 3});
    expect(clock.elapsed() == 3s);
  };

  "stopping a scope stops its tasks and nothing beside it"_test = [] {
    manual_clock clock;
    expect(run(clock, stopped_in_the_middle()) == std::vector{1, -3, 4});
    expect(clock.elapsed() == 4s);
  };

  "with_scope joins when its body returns early"_test = [] {
    manual_clock clock;
    std::vector<int> log;
    expect(run(clock, early_return(log)) == 7);
    expect(log == std::vector{-1});
  };

  "with_scope joins when its body throws"_test = [] {
    manual_clock clock;
    std::vector<int> log;
    expect(throws<std::runtime_error>([&] { run(clock, early_throw(log)); }));
    expect(log == std::vector{-1});
    expect(counted::alive() == 0);
  };

  "a join waits for what is spawned while it waits"_test = [] { expect(run(spawned_while_joining()) >= 4U); };

  "a task spawned into a stopped scope begins, sees the stop and ends"_test = [] {
    expect(run(spawn_after_stop()) == 1U);
  };

  "a tree of scopes stopped at every step is joined"_test = [] {
    manual_clock clock;
    const int steps = testing::every_step(five_deep, {.clock = &clock});
    expect(steps > 80) << steps;
  };

  "a scope whose body is left early, stopped at every step"_test = [] {
    manual_clock clock;
    testing::every_step(leave_in_the_body, {.clock = &clock});
  };
};

}  // namespace scope_test

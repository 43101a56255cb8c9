// SPDX-License-Identifier: MIT
#include "../../../runtime/async/when.hpp"

#include <string>

#include "../../../runtime/async/queue.hpp"
#include "../../../runtime/async/scope.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../support/every_step.hpp"
#include "../../support/manual_clock.hpp"
#include "../../support/run.hpp"
#include "../../support/ut.hpp"

namespace when_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::counted;
using testing::manual_clock;
using testing::run;

task<result<int>> after(duration length, int value) {
  const counted alive;
  const auto slept = co_await sleep_for(length);
  if (!slept) co_return slept.error();
  co_return value;
}
task<void> nothing() { co_return; }
task<std::string> text() { co_return "text"; }
task<result<int>> pop_from(queue<int>& q) { co_return co_await q.pop(); }
task<result<int>> push_then_end(queue<int>& q, int value) {
  auto pushed = co_await q.push(value);
  expect(pushed.has_value());
  co_return 1;
}

task<void> all_three() {
  auto values = co_await when_all(after(2s, 2), text(), nothing());
  expect(*std::get<0>(values) == 2);
  expect(std::get<1>(values) == std::string{"text"});
}

task<std::vector<result<int>>> list_of(int count) {
  std::vector<task<result<int>>> tasks;
  for (int i = 0; i < count; ++i) tasks.push_back(after(std::chrono::seconds{count - i}, i));
  co_return co_await when_all(std::move(tasks));
}

task<void> first_of_two() {
  auto outcome = co_await when_any(after(3s, 3), after(1s, 1));
  expect(outcome.winner == 1U);
  expect(*std::get<1>(outcome.values) == 1);
  expect(std::get<0>(outcome.values).error().code == errc::cancelled);
}

// The winner hands the loser a value and ends in the same turn: the loser must not lose it.
task<void> loser_keeps_what_it_got() {
  queue<int> q{1};
  auto outcome = co_await when_any(pop_from(q), push_then_end(q, 42));
  expect(*std::get<1>(outcome.values) == 1);
  expect(std::get<0>(outcome.values).has_value() && *std::get<0>(outcome.values) == 42);
}

task<void> everything(loop& /*unused*/) {
  const counted alive;
  auto all = co_await when_all(after(2s, 2), after(1s, 1));
  auto any = co_await when_any(after(2s, 2), after(1s, 1));
  auto list = co_await list_of(3);
  expect(list.size() == 3U);
  ignore(std::get<0>(all), "only the end matters");
  ignore(std::get<0>(any.values), "only the end matters");
}

const suite<"when"> tests = [] {
  "when_all waits for all tasks and returns every value"_test = [] {
    manual_clock clock;
    run(clock, all_three());
    expect(clock.elapsed() == 2s);
  };

  "when_all of a list keeps its order"_test = [] {
    manual_clock clock;
    const auto values = run(clock, list_of(20));
    expect(values.size() == 20U);
    for (int i = 0; i < 20; ++i) expect(*values[static_cast<std::size_t>(i)] == i);
    expect(clock.elapsed() == 20s);
  };

  "when_all of nothing is ready"_test = [] { expect(run(list_of(0)).empty()); };

  "when_any stops and joins the losers"_test = [] {
    manual_clock clock;
    run(clock, first_of_two());
    expect(clock.elapsed() == 1s);
    expect(counted::alive() == 0);
  };

  "when_any hands back what a loser had received"_test = [] { run(loser_keeps_what_it_got()); };

  "when_all and when_any stopped at every step"_test = [] {
    manual_clock clock;
    testing::every_step(everything, {.clock = &clock});
  };
};

}  // namespace when_test

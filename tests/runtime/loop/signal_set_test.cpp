// SPDX-License-Identifier: MIT
// raise() returns when libuv's handler has run, so a signal is on its way to the loop from then on.
#include "../../../runtime/loop/signal_set.hpp"

#include <csignal>
#include <vector>

#include "../../../runtime/async/scope.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../../runtime/async/timeout.hpp"
#include "../../support/every_step.hpp"
#include "../../support/manual_clock.hpp"
#include "../../support/run.hpp"
#include "../../support/ut.hpp"

namespace signal_set_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::counted;
using testing::manual_clock;
using testing::run;

bool has_default_disposition(int number) {
  struct sigaction now{};
  sigaction(number, nullptr, &now);
  return now.sa_handler == SIG_DFL;
}

task<result<int>> next_of(signal_set& signals) { co_return co_await signals.next(); }

// The next signal, or 0 if there is none within ten seconds of the test's time.
task<int> heard(signal_set& signals) {
  const auto r = co_await with_timeout(10s, next_of(signals));
  if (r) co_return *r;
  expect(r.error().code == errc::timed_out);
  co_return 0;
}

task<std::vector<int>> heard_of(std::vector<int> raised) {
  auto signals = signal_set::start(*(co_await this_context()).loop, {SIGUSR1, SIGUSR2, SIGWINCH});
  expect(fatal(signals.has_value()));
  for (const int number : raised) raise(number);
  std::vector<int> all;
  while (const int number = co_await heard(*signals)) all.push_back(number);
  co_return all;
}

task<void> raise_later(int number) {
  ignore(co_await sleep_for(1s), "nobody stops this task");
  raise(number);
}

task<int> wakes_a_waiter() {
  auto signals = signal_set::start(*(co_await this_context()).loop, {SIGUSR1});
  expect(fatal(signals.has_value()));
  scope s{co_await this_context()};
  s.spawn(raise_later(SIGUSR1));
  const int number = co_await heard(*signals);
  co_await s.join();
  co_return number;
}

task<std::vector<int>> kept_while_nobody_waits() {
  auto signals = signal_set::start(*(co_await this_context()).loop, {SIGUSR1, SIGUSR2});
  expect(fatal(signals.has_value()));
  for (const int number : {SIGUSR2, SIGUSR1}) {
    raise(number);
    ignore(co_await sleep_for(1s), "nobody stops this task");
  }
  const auto first = co_await signals->next();
  const auto second = co_await signals->next();
  expect(fatal(first.has_value() && second.has_value()));
  raise(SIGUSR2);
  const int third = co_await heard(*signals);
  const int fourth = co_await heard(*signals);
  co_return std::vector<int>{*first, *second, third, fourth};
}

task<void> two_sets() {
  loop& home = *(co_await this_context()).loop;
  auto a = signal_set::start(home, {SIGUSR1});
  auto b = signal_set::start(home, {SIGUSR1, SIGUSR2});
  expect(fatal(a.has_value() && b.has_value()));
  raise(SIGUSR1);
  raise(SIGUSR2);
  expect(co_await heard(*a) == SIGUSR1);
  expect(co_await heard(*a) == 0) << "it did not ask for the other";
  expect(co_await heard(*b) == SIGUSR1);
  expect(co_await heard(*b) == SIGUSR2);
}

task<void> lives_and_dies() {
  loop& home = *(co_await this_context()).loop;
  {
    const auto signals = signal_set::start(home, {SIGUSR1, SIGUSR2});
    expect(signals.has_value());
    expect(!has_default_disposition(SIGUSR1) && !has_default_disposition(SIGUSR2));
    expect(has_default_disposition(SIGWINCH)) << "nobody asked for it";
  }
  expect(has_default_disposition(SIGUSR1) && has_default_disposition(SIGUSR2));
}

task<void> refused() {
  const auto signals = signal_set::start(*(co_await this_context()).loop, {SIGUSR1, SIGKILL});
  expect(signals.has_error() && signals.error().code == errc::io);
  expect(signals.has_error() && signals.error().what.find("signal 9") != std::string::npos);
  expect(has_default_disposition(SIGUSR1)) << "all or none";
}

task<void> dies_with_unread_signals() {
  auto signals = signal_set::start(*(co_await this_context()).loop, {SIGUSR1, SIGUSR2});
  expect(fatal(signals.has_value()));
  raise(SIGUSR1);
  co_await yield();
  raise(SIGUSR2);
}

task<void> listening(signal_set& signals) {
  const counted frame;
  for (const int expected : {SIGUSR1, SIGUSR2, SIGUSR1}) {
    const auto r = co_await signals.next();
    expect(r.has_value() ? *r == expected : r.error().code == errc::cancelled);
    if (!r) co_return;
  }
}

// The sleeps are steps to stop at while the listener waits.
task<void> stepping(loop& home) {
  auto signals = signal_set::start(home, {SIGUSR1, SIGUSR2});
  expect(fatal(signals.has_value()));
  scope s{co_await this_context()};
  s.spawn(listening(*signals));
  for (const int number : {SIGUSR1, SIGUSR2, SIGUSR1}) {
    co_await yield();
    raise(number);
    ignore(co_await sleep_for(1s), "a stop shortens it");
  }
  co_await s.join();
}

std::vector<int> heard_when(const std::vector<int>& raised) {
  manual_clock clock;
  return run(clock, heard_of(raised));
}

const suite<"signals"> tests = [] {
  "no signal is heard where none was sent"_test = [] { expect(heard_when({}).empty()); };

  "signals are heard in the order they were sent"_test = [] {
    for (const std::vector<int>& raised :
         {std::vector{SIGUSR1, SIGUSR2, SIGWINCH}, std::vector{SIGWINCH, SIGUSR2, SIGUSR1}}) {
      expect(heard_when(raised) == raised);
    }
  };

  "a signal sent again before anybody looked is one signal"_test = [] {
    expect(heard_when({SIGUSR1, SIGUSR2, SIGUSR1, SIGUSR1}) == std::vector{SIGUSR1, SIGUSR2});
  };

  "a signal wakes the one who waits for it"_test = [] {
    manual_clock clock;
    expect(run(clock, wakes_a_waiter()) == SIGUSR1);
    expect(clock.elapsed() == 1s) << "not by its timeout";
  };

  "signals that come while nobody waits are kept"_test = [] {
    manual_clock clock;
    expect(run(clock, kept_while_nobody_waits()) == std::vector{SIGUSR2, SIGUSR1, SIGUSR2, 0});
  };

  "two sets hear the same signal, and each only its own"_test = [] {
    manual_clock clock;
    run(clock, two_sets());
  };

  "a signal has its default disposition again when the set dies"_test = [] { run(lives_and_dies()); };

  "a set with a signal that cannot be caught is refused whole"_test = [] { run(refused()); };

  "a set may die with signals that nobody has heard"_test = [] {
    run(dies_with_unread_signals());
    expect(has_default_disposition(SIGUSR1) && has_default_disposition(SIGUSR2));
  };

  "a set stopped at every step ends clean"_test = [] {
    manual_clock clock;
    testing::every_step(stepping, {.clock = &clock, .waits = true});
    expect(has_default_disposition(SIGUSR1) && has_default_disposition(SIGUSR2));
  };
};

}  // namespace signal_set_test

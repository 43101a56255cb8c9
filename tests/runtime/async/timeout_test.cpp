// SPDX-License-Identifier: MIT
#include "../../../runtime/async/timeout.hpp"

#include <cstdlib>
#include <new>

#include "../../../runtime/async/event.hpp"
#include "../../../runtime/async/scope.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../support/every_step.hpp"
#include "../../support/manual_clock.hpp"
#include "../../support/run.hpp"
#include "../../support/ut.hpp"

namespace timeout_test {

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

// Ignores the stop and has something to hand over.
task<result<int>> stubborn(duration length, int value) {
  const auto slept = co_await sleep_for(length);
  ignore(slept, "the value is there either way");
  co_return value;
}

// Knows, when it is stopped, that it may have had its effect.
task<result<int>> begun(duration length) {
  const auto slept = co_await sleep_for(length);
  if (slept) co_return 1;
  error why = slept.error();
  why.executed = execution::unknown;
  co_return why;
}
task<result<int>> bounded_begun() { co_return co_await with_timeout(1s, begun(2s)); }

task<result<int>> bounded(duration bound, duration length) { co_return co_await with_timeout(bound, after(length, 1)); }
task<result<int>> bounded_stubborn() { co_return co_await with_timeout(1s, stubborn(2s, 5)); }

task<result<int>> outer_first() { co_return co_await with_timeout(1s, bounded(3s, 5s)); }
task<result<int>> inner_first() { co_return co_await with_timeout(3s, bounded(1s, 5s)); }

task<result<int>> shielded() { co_return co_await shield(10s, after(2s, 9)); }
task<result<int>> shielded_too_short() { co_return co_await shield(1s, after(2s, 9)); }

task<void> stop_around(result<int>& outcome) { outcome = co_await shielded(); }

task<result<int>> shield_under_stop() {
  result<int> outcome = 0;
  scope s{co_await this_context()};
  s.spawn(stop_around(outcome));
  co_await yield();
  co_await yield();
  s.request_stop();
  co_await s.join();
  co_return outcome;
}

task<void> all_kinds(loop& /*unused*/) {
  const counted alive;
  auto a = co_await bounded(1s, 2s);
  auto b = co_await bounded(2s, 1s);
  auto c = co_await shielded();
  ignore(a, "only the end matters");
  ignore(b, "only the end matters");
  ignore(c, "only the end matters");
}

task<result<void>> forever(event& never) { co_return co_await never.wait(); }

// Counts what a deadline allocates beyond the frame of the task it bounds.
task<long> allocations_of_a_deadline(const long& allocations) {
  event set;
  set.set();
  event never;
  auto warm = co_await with_timeout(1s, forever(set));
  ignore(warm, "the first deadline of this length may allocate its lane");
  auto warm_too = co_await with_timeout(1ms, forever(never));
  ignore(warm_too, "and so may this");
  const long before_plain = allocations;
  auto plain = co_await forever(set);
  const long plain_cost = allocations - before_plain;
  const long before_bounded = allocations;
  auto within = co_await with_timeout(1s, forever(set));
  const long bounded_cost = allocations - before_bounded;
  expect(plain.has_value() && within.has_value());
  // One that runs out says so in words, which are too long for the string's own buffer.
  const long before_expired = allocations;
  auto expired = co_await with_timeout(1ms, forever(never));
  const long expired_cost = allocations - before_expired;
  expect(expired.has_error() && expired.error().code == errc::timed_out);
  expect(expired_cost <= plain_cost + 1) << expired_cost;
  co_return bounded_cost - plain_cost;
}

}  // namespace timeout_test

namespace {
long allocation_count = 0;
}

// Replaced for this test program only, to count; the sanitizers' own are left alone.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAWSER_TEST_KEEPS_NEW
#endif
#endif
#ifndef HAWSER_TEST_KEEPS_NEW
void* operator new(std::size_t size) {
  ++allocation_count;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc{};
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
#endif
#endif

namespace timeout_test {

const suite<"timeout"> tests = [] {
  "a task that is in time gives its value"_test = [] {
    manual_clock clock;
    const auto outcome = run(clock, bounded(2s, 1s));
    expect(outcome.has_value() && *outcome == 1);
    expect(clock.elapsed() == 1s) << "the deadline keeps nobody waiting";
  };

  "a task that is late is stopped and says after how long"_test = [] {
    manual_clock clock;
    const auto outcome = run(clock, bounded(1500ms, 1h));
    expect(outcome.has_error() && outcome.error().code == errc::timed_out);
    expect(outcome.error().what == std::string{"timed out after 1500 ms"});
    expect(clock.elapsed() == 1500ms);
  };

  "CLM-1 a late task that may have been executed says so"_test = [] {
    manual_clock by;
    const auto late = run(by, bounded_begun());
    expect(late.has_error() && late.error().code == errc::timed_out && late.error().what == "timed out after 1 s");
    expect(late.error().executed == execution::unknown);
  };
  "what a late task had received is handed back"_test = [] {
    manual_clock clock;
    const auto outcome = run(clock, bounded_stubborn());
    expect(outcome.has_value() && *outcome == 5);
  };

  "of two deadlines the nearer one decides"_test = [] {
    manual_clock clock;
    const auto outer = run(clock, outer_first());
    expect(outer.has_error() && outer.error().what == std::string{"timed out after 1 s"});
    expect(clock.elapsed() == 1s);
    const auto inner = run(clock, inner_first());
    expect(inner.has_error() && inner.error().code == errc::timed_out);
    expect(clock.elapsed() == 2s);
  };

  "a shielded task outlives the stop of its caller"_test = [] {
    manual_clock clock;
    const auto outcome = run(clock, shield_under_stop());
    expect(outcome.has_value() && *outcome == 9);
    expect(clock.elapsed() == 2s);
  };

  "a shield has its own bound"_test = [] {
    manual_clock clock;
    const auto outcome = run(clock, shielded_too_short());
    expect(outcome.has_error() && outcome.error().code == errc::timed_out);
  };

  "a deadline allocates nothing"_test = [] {
    if (testing::instrumented) {
      cfg<override>.skip_this("the sanitizer counts its own allocations");
      return;
    }
    loop l;
    expect(l.run(allocations_of_a_deadline(allocation_count)) == 0);
    expect(allocation_count > 0);
  };

  "deadlines and shields stopped at every step"_test = [] {
    manual_clock clock;
    testing::every_step(all_kinds, {.clock = &clock, .waits = true});
  };
};

}  // namespace timeout_test

// SPDX-License-Identifier: MIT
#include "../../../bench/load/load.hpp"

#include <algorithm>

#include "../../../runtime/async/semaphore.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../support/every_step.hpp"
#include "../../support/manual_clock.hpp"
#include "../../support/run.hpp"
#include "../../support/ut.hpp"

namespace load_test {

using namespace hawser;
using namespace hawser::bench;
using namespace std::chrono_literals;
using testing::manual_clock;
using kind = call_end::kind;

// Answers one call at a time, each in a millisecond, and stands still once.
struct slow_server {
  semaphore turn{1};
  int stalls_at = -1;
  duration stall = 500ms;
  duration each = 1ms;
  int calls = 0;
};

task<call_end> call(slow_server& to) {
  auto place = co_await to.turn.acquire();
  if (!place) co_return call_end::of(place.error());
  const duration length = to.calls++ == to.stalls_at ? to.stall : to.each;
  auto slept = co_await sleep_for(length);
  if (!slept) co_return call_end::of(slept.error());
  co_return call_end{};
}

one_call calls_to(slow_server& to) {
  return [&to] { return call(to); };
}

load_bounds for_length(manual_clock& by, duration length, duration patience = 10s) {
  return {.begin_until = by.now() + length, .give_up = by.now() + length + patience};
}

load_result closed(manual_clock& by, const one_call& what, int in_flight, load_bounds within) {
  return testing::run(by, closed_loop(by, what, in_flight, within));
}
load_result open(manual_clock& by, const one_call& what, arrivals coming, load_bounds within) {
  return testing::run(by, open_loop(by, what, coming, within));
}

auto longer_than(const load_result& r, duration bound) {
  const auto values = r.latency.values();
  return std::count_if(values.begin(), values.end(), [&](std::int64_t one) { return one > bound.count(); });
}

task<call_end> ends_with(call_end end, duration after) {
  auto slept = co_await sleep_for(after);
  if (!slept) co_return call_end::of(slept.error());
  co_return end;
}

task<void> closed_and_forgotten(manual_clock& by, slow_server& to) {
  auto found = co_await closed_loop(by, calls_to(to), 3, for_length(by, 10ms));
  expect(found.ends.all() > 0_ul);
}
task<void> open_and_forgotten(manual_clock& by, slow_server& to) {
  const arrivals coming{.per_second = 1'500, .how = arrivals::spacing::even, .max_in_flight = 2};
  auto found = co_await open_loop(by, calls_to(to), coming, for_length(by, 10ms));
  expect(found.latency.count() <= 15_ul);
}

const suite<"load"> tests = [] {
  "a closed loop has so many under way and counts what is answered in its time"_test = [] {
    manual_clock by;
    const auto found = closed(by, [] { return ends_with({}, 10ms); }, 4, for_length(by, 1s));
    expect(found.ends.answered() == 400_ul) << found.ends.answered();
    expect(found.per_second() == 400.0_d) << found.per_second();
    expect(found.latency.percentile(50) == 10'000.0_d);
    expect(not found.broken);
  };

  "a stall is one long call of a closed loop"_test = [] {
    manual_clock by;
    slow_server server{.stalls_at = 50};
    const auto found = closed(by, calls_to(server), 1, for_length(by, 2s));
    expect(longer_than(found, 100ms) == 1_l);
    expect(found.latency.percentile(100) == 500'000.0_d);
  };

  "in an open loop a stall counts for every call that was due during it"_test = [] {
    manual_clock by;
    slow_server server{.stalls_at = 50};
    const arrivals coming{.per_second = 100, .how = arrivals::spacing::even};
    const auto found = open(by, calls_to(server), coming, for_length(by, 2s));
    expect(found.ends.answered() == 199_ul) << found.ends.answered();
    // 100 a second for 500 ms, and those of the last 100 ms of it have waited less.
    expect(longer_than(found, 100ms) >= 40_l and longer_than(found, 100ms) <= 50_l) << longer_than(found, 100ms);
    expect(found.latency.percentile(100) == 500'000.0_d);
    expect(found.latency.percentile(50) == 1'000.0_d) << "the others have not";
  };

  "waiting for a free slot counts in the latency"_test = [] {
    manual_clock by;
    slow_server server{.stalls_at = 50};
    const arrivals coming{.per_second = 100, .how = arrivals::spacing::even, .max_in_flight = 1};
    const auto found = open(by, calls_to(server), coming, for_length(by, 2s));
    expect(longer_than(found, 100ms) >= 40_l) << longer_than(found, 100ms);
    expect(found.unsent == 0_ul);
  };

  "an overload shows in the latency, and unsent calls count"_test = [] {
    manual_clock by;
    slow_server server;
    const arrivals coming{.per_second = 2'000, .how = arrivals::spacing::even, .max_in_flight = 8};
    const auto found = open(by, calls_to(server), coming, for_length(by, 1s));
    expect(found.per_second() > 900.0_d and found.per_second() < 1'100.0_d) << found.per_second();
    expect(found.unsent > 900_ul) << found.unsent;
    expect(found.latency.count() == 1'999_ul) << found.latency.count();
    expect(found.latency.percentile(99) > 400'000.0_d) << found.latency.percentile(99);
  };

  "a server that stops answering is reported as silent, and the calls due meanwhile count"_test = [] {
    manual_clock by;
    slow_server server{.stalls_at = 50, .stall = 1h};
    const arrivals coming{.per_second = 100, .how = arrivals::spacing::even, .max_in_flight = 8};
    const auto found = open(by, calls_to(server), coming, {.begin_until = by.now() + 2s, .give_up = by.now() + 4s});
    expect(found.latency.count() == 199_ul) << found.latency.count();
    expect(found.unsent > 100_ul) << "whose turn never came";
    expect(found.latency.percentile(50) > 1'000'000.0_d);
    expect(found.silent > 3s and found.took >= 4s) << found.silent.count();
    expect(found.per_second() < 20.0_d) << "not 100, as before it stopped";
    slow_server other{.stalls_at = 50, .stall = 1h};
    const auto one = closed(by, calls_to(other), 1, {.begin_until = by.now() + 2s, .give_up = by.now() + 4s});
    expect(one.silent > 3s and one.per_second() < 20.0_d);
  };

  "random arrivals come at the rate that was asked for, in the same way each time"_test = [] {
    std::uint64_t first = 0;
    for (int i = 0; i < 2; ++i) {
      manual_clock by;
      const auto found = open(by, [] { return ends_with({}, 1ms); }, {.per_second = 1'000}, for_length(by, 10s));
      expect(found.ends.answered() > 9'700_ul and found.ends.answered() < 10'300_ul) << found.ends.answered();
      expect(i == 0 or found.ends.answered() == first);
      first = found.ends.answered();
    }
  };

  "nothing but failures ends a load early; one that fails at once leaves others their turn"_test = [] {
    manual_clock by;
    const call_end no{.how = kind::refused, .text = "no"};
    const auto found = closed(by, [&] { return ends_with(no, 0ms); }, 1, for_length(by, 1h));
    expect(found.broken and found.ends.failed() == std::uint64_t{most_failures_in_a_row});
    expect(found.ends.of(kind::refused).example == "no");
    const call_end gone{.how = kind::unreachable, .may_have_run = true, .fatal = true, .text = "gone"};
    const auto dead = open(by, [&] { return ends_with(gone, 1ms); }, {.per_second = 10}, for_length(by, 1h));
    expect(dead.broken and dead.ends.failed() == 1_ul and dead.ends.unknown() == 1_ul);
  };

  "failures between answers are counted, and nothing ends"_test = [] {
    manual_clock by;
    int calls = 0;
    const one_call every_third = [&] {
      return ends_with(++calls % 3 == 0 ? call_end{.how = kind::tool_error, .text = "third"} : call_end{}, 1ms);
    };
    const auto found = closed(by, every_third, 1, for_length(by, 300ms));
    expect(found.ends.answered() == 200_ul and found.ends.failed() == 100_ul) << found.ends.answered();
    expect(not found.broken);
    expect(found.latency.count() == 200_ul) << "a failure is no fast answer";
  };

  "calls that are never answered are given up in time"_test = [] {
    manual_clock by;
    const auto begin = by.now();
    const auto found = closed(by, [] { return ends_with({}, 24h); }, 7, for_length(by, 1s, 2s));
    expect(by.now() - begin == 3s);
    expect(found.ends.of(kind::given_up).count == 7_ul and found.ends.failed() == 0_ul);
    expect(found.per_second() == 0.0_d);
    const auto waiting = open(
        by, [] { return ends_with({}, 24h); }, {.per_second = 10, .how = arrivals::spacing::even},
        for_length(by, 1s, 2s));
    expect(waiting.ends.of(kind::given_up).count == 9_ul);
    expect(waiting.latency.count() == 9_ul and waiting.latency.percentile(100) == 2'900'000.0_d);
  };

  "a stop at any moment ends a load"_test = [] {
    manual_clock by;
    testing::every_step(
        [&](loop&) -> task<void> {
          static slow_server server;
          return closed_and_forgotten(by, server);
        },
        {.clock = &by});
    testing::every_step(
        [&](loop&) -> task<void> {
          static slow_server server;
          return open_and_forgotten(by, server);
        },
        {.clock = &by});
  };
};

}  // namespace load_test

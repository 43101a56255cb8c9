// SPDX-License-Identifier: MIT
#include "load.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "../../runtime/async/event.hpp"
#include "../../runtime/async/scope.hpp"
#include "../../runtime/async/sleep.hpp"
#include "../../runtime/async/timeout.hpp"

namespace hawser::bench {

namespace {

// The state that the callers of one load share.
struct load_state {
  clock& by;
  const one_call& call;
  load_bounds within;
  load_result& into;
  time_point begin;
  int failures_in_a_row = 0;
  bool stopped = false;
  std::size_t under_way = 0;  // not the scope's count, which decreases one loop iteration after the call has ended
  event place{};              // a call has ended

  [[nodiscard]] bool goes_on() const { return !stopped && !into.broken && by.now() < within.begin_until; }

  void note(const call_end& end, time_point now) {
    into.ends.add(end);
    if (end.how == call_end::kind::answered) {
      failures_in_a_row = 0;
      into.took = now - begin;
    } else if (end.how == call_end::kind::given_up) {
      stopped = true;
    } else if (end.fatal || ++failures_in_a_row >= most_failures_in_a_row) {
      into.broken = true;
    }
    place.set();
  }
};

bool waited_in_vain(call_end::kind how) { return how == call_end::kind::timed_out || how == call_end::kind::given_up; }

task<void> keep_calling(load_state& s) {
  while (s.goes_on()) {
    const time_point begin = s.by.now();
    const call_end end = co_await s.call();
    const time_point now = s.by.now();
    if (end.how == call_end::kind::answered) s.into.latency.add(now - begin);
    s.note(end, now);
    // A call that fails without waiting would starve the others.
    if (end.how != call_end::kind::answered) co_await yield();
  }
}

task<void> one_arrival(load_state& s, time_point intended) {
  const call_end end = co_await s.call();
  const time_point now = s.by.now();
  if (end.how == call_end::kind::answered || waited_in_vain(end.how)) s.into.latency.add(now - intended);
  --s.under_way;
  s.note(end, now);
}

// The arrival times, without an end.
class schedule {
 public:
  schedule(const arrivals& coming, time_point begin) : how_(coming.how), mean_(1e9 / coming.per_second), base_(begin) {
    step();
  }
  [[nodiscard]] time_point next() const { return base_ + duration{std::llround(at_)}; }
  void step() { at_ += how_ == arrivals::spacing::even ? mean_ : gap_(random_) * mean_; }

 private:
  arrivals::spacing how_;
  double mean_;  // nanoseconds
  double at_ = 0;
  time_point base_;
  std::mt19937_64 random_{20'241'105};  // the same arrivals in every run
  std::exponential_distribution<double> gap_{1.0};
};

task<result<void>> run_closed_loop(load_state& s, int in_flight) {
  scope callers{co_await this_context()};
  for (int i = 0; i < in_flight; ++i) callers.spawn(keep_calling(s));
  co_await callers.join();
  co_return result<void>{};
}

task<result<void>> run_open_loop(load_state& s, arrivals coming) {
  schedule due{coming, s.begin};
  scope calls{co_await this_context()};
  while (s.goes_on() && due.next() < s.within.begin_until) {
    const time_point now = s.by.now();
    if (due.next() > now) {
      auto slept = co_await sleep_for(due.next() - now);
      if (!slept) s.stopped = true;
    } else if (s.under_way >= coming.max_in_flight) {
      s.place.reset();
      auto ended = co_await s.place.wait();
      if (!ended) s.stopped = true;
    } else {
      ++s.under_way;
      calls.spawn(one_arrival(s, due.next()));
      due.step();
    }
  }
  const time_point now = s.by.now();
  const bool all_should_have_come = now >= s.within.begin_until;  // whatever ended the run
  if (!s.into.broken && (all_should_have_come || !s.stopped)) {
    for (; due.next() < s.within.begin_until; due.step()) {
      s.into.latency.add(now - due.next());
      ++s.into.unsent;
    }
  }
  co_await calls.join();
  co_return result<void>{};
}

task<void> bounded(load_state& s, task<result<void>> inner) {
  const duration length = std::max(duration::zero(), s.within.give_up - s.by.now());
  auto ended = co_await with_timeout(length, std::move(inner));
  ignore(ended, "what was measured until then counts");
  if (s.by.now() < s.within.give_up) co_return;
  // The time without responses counts for the rate: otherwise a server that stopped answering would look fast.
  const duration all = s.by.now() - s.begin;
  s.into.silent = all - s.into.took;
  s.into.took = all;
}

}  // namespace

task<load_result> closed_loop(clock& by, one_call call, int in_flight, load_bounds within) {
  load_result found;
  load_state s{.by = by, .call = call, .within = within, .into = found, .begin = by.now()};
  co_await bounded(s, run_closed_loop(s, in_flight));
  co_return found;
}

task<load_result> open_loop(clock& by, one_call call, arrivals coming, load_bounds within) {
  load_result found;
  load_state s{.by = by, .call = call, .within = within, .into = found, .begin = by.now()};
  co_await bounded(s, run_open_loop(s, coming));
  co_return found;
}

}  // namespace hawser::bench

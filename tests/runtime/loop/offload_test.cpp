// SPDX-License-Identifier: MIT
#include "../../../runtime/loop/offload.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <future>
#include <stdexcept>
#include <string>

#include "../../../runtime/async/event.hpp"
#include "../../../runtime/async/scope.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../support/every_step.hpp"
#include "../../support/run.hpp"
#include "../../support/ut.hpp"

namespace offload_test {

using namespace hawser;
using testing::counted;
using testing::run;

// libuv's own rule for how many jobs run at once.
int pool_size() {
  const char* const set = std::getenv("UV_THREADPOOL_SIZE");
  return set != nullptr ? std::atoi(set) : 4;
}

task<result<int>> value() {
  std::function<result<int>()> job = [] { return result<int>{42}; };
  co_return co_await offload<int>(std::move(job));
}

task<result<std::string>> failing() {
  std::function<result<std::string>()> job = []() -> result<std::string> {
    return error{.code = errc::parse, .what = "bad", .native = 7};
  };
  co_return co_await offload<std::string>(std::move(job));
}

task<std::string> throwing() {
  std::function<result<void>()> job = []() -> result<void> { throw std::runtime_error{"from the pool"}; };
  try {
    ignore(co_await offload<void>(std::move(job)), "it throws");
  } catch (const std::runtime_error& thrown) {
    co_return thrown.what();
  }
  co_return "nothing";
}

task<bool> elsewhere_and_back(loop& home) {
  std::function<result<bool>()> job = [&home] { return result<bool>{home.on_loop_thread()}; };
  const auto there = co_await offload<bool>(std::move(job));
  co_return there.has_value() && !*there && home.on_loop_thread();
}

task<void> add_to(int& sum) {
  const auto r = co_await value();
  if (r) sum += *r;
}

task<int> hundred_at_once() {
  int sum = 0;
  scope s{co_await this_context()};
  for (int i = 0; i < 100; ++i) s.spawn(add_to(sum));
  co_await s.join();
  co_return sum;
}

// Jobs that say when they have begun and then wait until the test lets them go.
struct gate {
  std::promise<void> opened;
  std::shared_future<void> open = opened.get_future().share();
  std::atomic<int> ended = 0;
  int begun = 0;  // on the loop thread
  int wanted = 1;
  event all_begun;
  void one_more() {
    if (++begun == wanted) all_begun.set();
  }
};

task<void> held(gate& g, result<int>& outcome) {
  loop& home = *(co_await this_context()).loop;
  std::function<result<int>()> job = [&g, &home, open = g.open] {
    home.post([&g] { g.one_more(); });
    open.wait();
    ++g.ended;
    return result<int>{1};
  };
  outcome = co_await offload<int>(std::move(job));
}

task<void> marking(std::atomic<bool>& ran, result<int>& outcome) {
  std::function<result<int>()> job = [&ran] {
    ran = true;
    return result<int>{1};
  };
  outcome = co_await offload<int>(std::move(job));
}

task<void> stop_while_held(gate& g, result<int>& outcome) {
  scope s{co_await this_context()};
  s.spawn(held(g, outcome));
  ignore(co_await g.all_begun.wait(), "nobody stops this task");
  s.request_stop();
  co_await s.join();
}

task<void> stop_before_begun(gate& g, std::atomic<bool>& ran, result<int>& outcome) {
  result<int> unused = 0;
  scope holders{co_await this_context()};
  for (int i = 0; i < g.wanted; ++i) holders.spawn(held(g, unused));
  ignore(co_await g.all_begun.wait(), "nobody stops this task");
  scope s{co_await this_context()};
  s.spawn(marking(ran, outcome));
  co_await yield();
  co_await yield();
  s.request_stop();
  co_await s.join();
  result<int> offered_under_a_stop = 0;
  s.spawn(marking(ran, offered_under_a_stop));
  co_await s.join();
  expect(offered_under_a_stop.has_error() && offered_under_a_stop.error().code == errc::cancelled);
  g.opened.set_value();
  co_await holders.join();
}

task<void> valued() {
  const counted frame;
  std::function<result<int>()> job = [inside = counted{}] { return result<int>{5}; };
  const auto r = co_await offload<int>(std::move(job));
  expect(r.has_value() ? *r == 5 : r.error().code == errc::cancelled);
}

task<void> broken() {
  const counted frame;
  std::function<result<int>()> job = [inside = counted{}]() -> result<int> { throw std::runtime_error{"broken"}; };
  try {
    const auto r = co_await offload<int>(std::move(job));
    expect(r.has_error() && r.error().code == errc::cancelled);
  } catch (const std::runtime_error&) {  // undisturbed
  }
}

// The yields are steps to stop at while the jobs are under way.
task<void> stepping(loop& /*unused*/) {
  scope s{co_await this_context()};
  s.spawn(valued());
  s.spawn(broken());
  for (int i = 0; i < 5; ++i) co_await yield();
  co_await s.join();
}

// Jobs that end together, and then nothing to do: how many turns the loop took in the quiet moments.
task<std::uint64_t> busiest_rest(int rounds) {
  loop& home = *(co_await this_context()).loop;
  std::uint64_t busiest = 0;
  for (int i = 0; i < rounds; ++i) {
    int sum = 0;
    scope s{co_await this_context()};
    for (int job = 0; job < pool_size(); ++job) s.spawn(add_to(sum));
    co_await s.join();
    const std::uint64_t before = home.iteration();
    ignore(co_await sleep_for(std::chrono::milliseconds{1}), "nobody stops this task");
    busiest = std::max(busiest, home.iteration() - before);
  }
  co_return busiest;
}

const suite<"offload"> tests = [] {
  "a job gives its value to the one that awaits it"_test = [] {
    const auto r = run(value());
    expect(r.has_value() && *r == 42);
  };

  "a job's error arrives as it was made"_test = [] {
    const auto r = run(failing());
    expect(r.has_error() && r.error().code == errc::parse && r.error().what == "bad" && r.error().native == 7);
  };

  "a job's exception reaches the one that awaits it"_test = [] {
    expect(run(throwing()) == std::string{"from the pool"});
  };

  "a job runs on another thread, its awaiter goes on on the loop's"_test = [] {
    loop l;
    expect(l.run(elsewhere_and_back(l)));
  };

  // libuv may be told of a job that it has taken already, and is then deaf to its own descriptor.
  "a loop rests after jobs that ended together"_test = [] {
    expect(run(busiest_rest(testing::instrumented ? 300 : 1500)) < 50_ul);
  };

  "more jobs than threads all get their turn"_test = [] { expect(run(hundred_at_once()) == 4200_i); };

  "a stop ends the wait at once, though the job is still at work"_test = [] {
    gate g;
    result<int> outcome = 0;
    {
      loop l;
      l.run(stop_while_held(g, outcome));
      expect(g.ended.load() == 0_i) << "the job is held back until now";
      expect(outcome.has_error() && outcome.error().code == errc::cancelled);
      g.opened.set_value();
    }
    expect(g.ended.load() == 1_i) << "the loop waits for the job before it dies";
  };

  "a job that has not begun when the stop comes is never run"_test = [] {
    gate g;
    g.wanted = pool_size();
    std::atomic<bool> ran = false;
    result<int> outcome = 0;
    run(stop_before_begun(g, ran, outcome));
    expect(g.ended.load() == g.wanted) << "the pool was free again";
    expect(!ran.load());
    expect(outcome.has_error() && outcome.error().code == errc::cancelled);
  };

  "a job stopped at every step frees what it holds"_test = [] { testing::every_step(stepping, {.waits = true}); };
};

}  // namespace offload_test

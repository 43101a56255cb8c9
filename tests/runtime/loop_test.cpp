// SPDX-License-Identifier: MIT
#include "../../runtime/loop.hpp"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <thread>
#include <vector>

#include "../../runtime/event.hpp"
#include "../../runtime/scope.hpp"
#include "../../runtime/sleep.hpp"
#include "../../runtime/timeout.hpp"
#include "../support/counted.hpp"
#include "../support/ends_with.hpp"
#include "../support/every_step.hpp"
#include "../support/manual_clock.hpp"
#include "../support/run.hpp"
#include "../support/ut.hpp"

namespace {

using namespace hawser;
using namespace std::chrono_literals;
using testing::counted;
using testing::run;

task<void> wait_for(event& e) {
  const auto waited = co_await e.wait();
  expect(waited.has_value());
}

task<void> quick() { co_return; }

task<duration> measured_sleep(duration length) {
  const auto begin = std::chrono::steady_clock::now();
  const auto slept = co_await sleep_for(length);
  expect(slept.has_value());
  co_return std::chrono::steady_clock::now() - begin;
}

task<result<void>> sleep_long() { co_return co_await sleep_for(1h); }

task<result<void>> stoppable_from_outside(std::stop_token token) { co_return co_await with_stop(token, sleep_long()); }

task<void> spin(context where, long& turns) {
  while (!where.stop_requested()) {
    ++turns;
    co_await yield();
  }
}

// A coroutine that is always ready must not keep a posted function, which needs a turn of libuv, from running.
task<long> post_into_a_busy_loop(loop& l) {
  long turns = 0;
  scope s{co_await this_context()};
  s.spawn(spin(s.where(), turns));
  co_await yield();
  std::thread poster{[&] { l.post([&] { s.request_stop(); }); }};
  co_await s.join();
  poster.join();
  co_return turns;
}

task<void> keep_busy(duration length) {
  const auto until = std::chrono::steady_clock::now() + length;
  while (std::chrono::steady_clock::now() < until) {
  }
  co_return;
}

task<void> measure_into(duration& took, duration length) { took = co_await measured_sleep(length); }

// A sleep that begins when its turn has gone on for longer than the sleep is long.
task<duration> sleep_after_a_long_turn(duration length) {
  loop& home = *(co_await this_context()).loop;
  duration took{};
  scope s{co_await this_context()};
  const time_point begin = home.now();  // the turn knows its time from now on
  for (int i = 0; i < 128; ++i) s.spawn(keep_busy(2ms));
  s.spawn(measure_into(took, length));
  co_await s.join();
  expect(home.now() > begin);
  co_return took;
}

task<void> set_when_it_has_a_turn(bool& flag) {
  flag = true;
  co_return;
}

task<bool> others_run_while_a_stopped_task_yields() {
  bool flag = false;
  scope s{co_await this_context()};
  s.spawn(set_when_it_has_a_turn(flag));
  s.request_stop();
  for (int i = 0; i < 1000 && !flag; ++i) co_await yield();
  co_await s.join();
  co_return flag;
}

task<void> stop_myself_and_yield(loop& l, bool& others_had_a_turn) {
  l.request_stop();
  others_had_a_turn = co_await others_run_while_a_stopped_task_yields();
}

task<void> stop_after_two_turns(std::stop_source& outside) {
  co_await yield();
  co_await yield();
  outside.request_stop();
}

task<void> under_a_token(loop& l, std::stop_source& outside) {
  const counted frame;
  scope s{co_await this_context()};
  s.spawn(stop_after_two_turns(outside));
  auto outcome = co_await with_stop(outside.get_token(), sleep_long());
  expect(outcome.has_error() && outcome.error().code == errc::cancelled);
  co_await s.join();
  expect(l.on_loop_thread());
}

const suite<"loop"> tests = [] {
  "a loop runs several tasks one after the other"_test = [] {
    loop l;
    l.run(quick());
    l.run(quick());
  };

  "a million posts from four threads all arrive, each thread's in order"_test = [] {
    constexpr int threads = 4;
    constexpr int each = 250'000;
    loop l;
    event done;
    std::vector<int> last(threads, -1);
    bool in_order = true;
    int arrived = 0;
    std::vector<std::thread> posters;
    for (int t = 0; t < threads; ++t) {
      posters.emplace_back([&, t] {
        for (int i = 0; i < each; ++i) {
          l.post([&, t, i] {
            in_order = in_order && last[t] == i - 1;
            last[t] = i;
            if (++arrived == threads * each) done.set();
          });
        }
      });
    }
    l.run(wait_for(done));
    for (std::thread& poster : posters) poster.join();
    expect(arrived == threads * each);
    expect(in_order);
  };

  "a function that was posted and never ran is dropped with the loop"_test = [] {
    {
      loop l;
      expect(l.post([held = counted{}] {}));
      expect(counted::alive() == 1);
    }
    expect(counted::alive() == 0);
  };

  "a busy coroutine does not starve the descriptors"_test = [] {
    loop l;
    expect(l.run(post_into_a_busy_loop(l)) > 0);
  };

  "a real timer is neither early nor late by much"_test = [] {
    const duration took = run(measured_sleep(30ms));
    expect(took >= 30ms) << took.count();
    expect(took < 2s) << took.count();
  };

  "a timer that is due before the loop polls is not forgotten"_test = [] {
    run([]() -> task<void> {
      for (int i = 0; i < 100; ++i) {
        auto at_once = co_await sleep_for(0ns);
        expect(at_once.has_value());
        auto soon = co_await sleep_for(1us);
        expect(soon.has_value());
      }
    }());
  };

  "a stop token of another thread ends an operation on the loop"_test = [] {
    std::stop_source outside;
    std::thread stopper{[&] { outside.request_stop(); }};
    const auto outcome = run(stoppable_from_outside(outside.get_token()));
    stopper.join();
    expect(outcome.has_error() && outcome.error().code == errc::cancelled);
  };

  "a stop token that fired before ends the operation, too"_test = [] {
    std::stop_source outside;
    outside.request_stop();
    const auto outcome = run(stoppable_from_outside(outside.get_token()));
    expect(outcome.has_error() && outcome.error().code == errc::cancelled);
  };

  "a stop token stopped at every step, by its own stop and by the loop's"_test = [] {
    std::optional<std::stop_source> outside;
    testing::every_step([&](loop& l) {
      outside.emplace();
      return under_a_token(l, *outside);
    });
  };

  "a deadline that is set late in a long turn has its length"_test = [] {
    const duration took = run(sleep_after_a_long_turn(200ms));
    expect(took >= 200ms) << took.count();
  };

  "a task that is stopped lets others go first, too"_test = [] {
    loop l;
    bool others_had_a_turn = false;
    l.run(stop_myself_and_yield(l, others_had_a_turn));
    expect(others_had_a_turn);
  };

  "running a loop leaves the thread's signals as they were"_test = [] {
    sigset_t before{};
    sigset_t after{};
    pthread_sigmask(SIG_SETMASK, nullptr, &before);
    run(quick());
    pthread_sigmask(SIG_SETMASK, nullptr, &after);
    expect(sigismember(&after, SIGPIPE) == sigismember(&before, SIGPIPE));
    expect(sigismember(&after, SIGPIPE) == 0);
  };

  "a broken rule ends the process with a sentence, in release too"_test = [] {
    expect(testing::ends_with("a scope died before its tasks were joined", [] {
      loop l;
      l.run([]() -> task<void> {
        scope s{co_await this_context()};
        s.spawn(quick());
      }());
    }));
    expect(testing::ends_with("a task was destroyed while it was suspended in the middle", [] {
      loop l;
      l.run([]() -> task<void> {
        class never final : public completion {
          std::coroutine_handle<> completed() noexcept override { return std::noop_coroutine(); }
        } nobody;
        event e;
        task<void> half = wait_for(e);
        half.start(co_await this_context(), nobody).resume();
      }());
    }));
    expect(testing::ends_with("a task was awaited that had been moved away or begun before", [] {
      run([]() -> task<void> {
        task<void> once = quick();
        co_await std::move(once);
        co_await std::move(once);
      }());
    }));
    expect(testing::ends_with("a stop was requested on another thread", [] {
      run([]() -> task<void> {
        event e;
        scope s{co_await this_context()};
        s.spawn(wait_for(e));
        co_await yield();
        std::thread{[&s] { s.request_stop(); }}.join();
        co_await s.join();
      }());
    }));
  };
};

}  // namespace

// SPDX-License-Identifier: MIT
#include "../../runtime/loop.hpp"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>
#include <vector>

#include "../../runtime/event.hpp"
#include "../../runtime/scope.hpp"
#include "../../runtime/sleep.hpp"
#include "../../runtime/timeout.hpp"
#include "../support/counted.hpp"
#include "../support/ends_with.hpp"
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
  };
};

}  // namespace

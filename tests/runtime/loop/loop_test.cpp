// SPDX-License-Identifier: MIT
#include "../../../runtime/loop/loop.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "../../../runtime/async/event.hpp"
#include "../../../runtime/async/scope.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../../runtime/async/timeout.hpp"
#include "../../../runtime/async/wait_slot.hpp"
#include "../../../runtime/loop/detail/loop_core.hpp"
#include "../../support/aborts_with.hpp"
#include "../../support/counted.hpp"
#include "../../support/every_step.hpp"
#include "../../support/manual_clock.hpp"
#include "../../support/run.hpp"
#include "../../support/stream_pair.hpp"
#include "../../support/ut.hpp"

namespace loop_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::counted;
using testing::run;

task<void> wait_for(event& e) {
  const auto waited = co_await e.wait();
  expect(waited.has_value());
}

task<void> quick() { co_return; }

// But for one that the test holds back itself, and that would strike later.
task<void> raise_what_writing_raises(int held) {
  for (const int number : {SIGPIPE, SIGXFSZ}) {
    if (number != held) raise(number);
  }
  co_return;
}

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
  s.spawn(spin(s.child_context(), turns));
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

class visit final : public slot_operation {
 public:
  explicit visit(wait_slot& where) : slot_operation(where) {}
  void await_resume() const noexcept {}
};

task<void> wait_at(wait_slot& where) { co_await visit{where}; }

task<void> read_once(stream& from) { ignore(co_await from.read_some(), "the stream dies under it"); }

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
    for (const int held : {0, SIGPIPE, SIGXFSZ}) {
      sigset_t before{};
      sigset_t after{};
      sigemptyset(&before);
      if (held != 0) sigaddset(&before, held);
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
      run(raise_what_writing_raises(held));
      pthread_sigmask(SIG_SETMASK, nullptr, &after);
      for (const int number : {SIGPIPE, SIGXFSZ, SIGTERM})
        expect(sigismember(&after, number) == (number == held ? 1 : 0)) << held << number;
      sigemptyset(&before);
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
  };

  "a program without descriptors gets an exception, and can go on"_test = [] {
    if (testing::instrumented) {
      cfg<override>.skip_this("a sanitizer takes an exception for broken where it has no descriptors itself");
      return;
    }
    run(quick());  // the first loop of a process leaves some in libuv's own hands
    rlimit before{};
    getrlimit(RLIMIT_NOFILE, &before);
    const std::size_t open = testing::open_descriptors();
    std::size_t refused = 0;
    for (rlim_t limit = 3; limit < 100 && refused + 3 == limit; ++limit) {
      const rlimit low{.rlim_cur = limit, .rlim_max = before.rlim_max};
      setrlimit(RLIMIT_NOFILE, &low);
      try {
        const loop l;
      } catch (const std::system_error& why) {
        refused += why.code() == std::errc::too_many_files_open ? 1 : 0;
      }
      setrlimit(RLIMIT_NOFILE, &before);
      expect(testing::open_descriptors() == open) << "with" << limit;
    }
    expect(refused >= 4_ul and refused < 90_ul) << refused;
    run(quick());
  };

  "a broken rule ends the process with a sentence, in release too"_test = [] {
    expect(testing::aborts_with("a scope died before its tasks were joined", [] {
      loop l;
      l.run([]() -> task<void> {
        scope s{co_await this_context()};
        s.spawn(quick());
      }());
    }));
    expect(testing::aborts_with("a task was destroyed while it was suspended in the middle", [] {
      loop l;
      l.run([]() -> task<void> {
        class never final : public completion_handler {
          std::coroutine_handle<> on_completed() noexcept override { return std::noop_coroutine(); }
        } nobody;
        event e;
        task<void> half = wait_for(e);
        half.start(co_await this_context(), nobody).resume();
      }());
    }));
    expect(testing::aborts_with("a task was awaited that had been moved away or begun before", [] {
      run([]() -> task<void> {
        task<void> once = quick();
        co_await std::move(once);
        co_await std::move(once);
      }());
    }));
    for (const bool woken : {false, true}) {
      expect(testing::aborts_with("something died while a coroutine waited on it", [woken] {
        run([](bool wake) -> task<void> {
          auto slot = std::make_unique<wait_slot>();
          scope s{co_await this_context()};
          s.spawn(wait_at(*slot));
          co_await yield();
          if (wake) slot->wake();
          slot.reset();
          co_await s.join();
        }(woken));
      })) << woken;
    }
    expect(testing::aborts_with("a stream died while it was being read", [] {
      loop l;
      l.run([](loop& home) -> task<void> {
        auto p = testing::socket_pair(home);
        std::optional<stream> read{std::move(p.b)};
        scope s{co_await this_context()};
        s.spawn(read_once(*read));
        co_await yield();
        home.post([&read] { read.reset(); });  // runs before the reader, which the poll wakes
        p.a.write("x");
        co_await s.join();
      }(l));
    })) << "also when it was woken";
    expect(testing::aborts_with("a stop was requested on another thread", [] {
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

  "a measurement hears where one event ends and the next one begins"_test = [] {
    loop l;
    std::string heard;
    l.core().between_events = [&heard] {
      if (!heard.ends_with('|')) heard += '|';
    };
    l.run([](loop& home, std::string& said) -> task<void> {
      auto both = testing::socket_pair(home);
      home.post([&said] { said += 'a'; });
      home.post([&said] { said += 'b'; });
      co_await yield();
      co_await yield();
      both.a.write("four");
      const auto read = co_await both.b.read_some();
      expect(read.has_value());
      said += 'c';
      co_await yield();
      co_await both.a.close();
      co_await both.b.close();
    }(l, heard));
    l.core().between_events = {};
    expect(heard.find("a|b|") != std::string::npos && heard.find("|c|") != std::string::npos) << heard;
    expect(l.core().bytes_read == 4_ul);
  };
};

}  // namespace loop_test

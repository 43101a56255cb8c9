// SPDX-License-Identifier: MIT
#include "../../../runtime/loop/attached_loop.hpp"

#include <poll.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <thread>

#include "../../../runtime/async/event.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../../runtime/async/timeout.hpp"
#include "../../../runtime/io/file_watch.hpp"
#include "../../../runtime/loop/offload.hpp"
#include "../../support/aborts_with.hpp"
#include "../../support/counted.hpp"
#include "../../support/fixture.hpp"
#include "../../support/libuv_program.hpp"
#include "../../support/manual_clock.hpp"
#include "../../support/stream_pair.hpp"
#include "../../support/temporary_folder.hpp"
#include "../../support/ut.hpp"

namespace attached_loop_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::counted;
using testing::libuv_program;

task<int> answer() {
  auto slept = co_await sleep_for(1ms);
  expect(slept.has_value());
  co_return 42;
}

task<result<void>> answered_soon() { co_return co_await sleep_for(1ms); }

task<result<void>> sleep_long() { co_return co_await sleep_for(1h); }

task<void> exchange(loop& home, int rounds, int& done) {
  auto pair = testing::socket_pair(home);
  for (int i = 0; i < rounds; ++i) {
    pair.a.write("ping");
    const auto heard = co_await pair.b.read_some();
    expect(heard.has_value());
    pair.b.consume(4);
    ++done;
  }
  co_await pair.a.close();
  co_await pair.b.close();
}

task<void> offloaded(std::atomic<bool>& begun, std::atomic<bool>& ended) {
  std::function<result<void>()> job = [&begun, &ended]() -> result<void> {
    begun = true;
    std::this_thread::sleep_for(50ms);
    ended = true;
    return {};
  };
  auto stopped = co_await offload<void>(std::move(job));
  expect(stopped.has_error() && stopped.error().code == errc::cancelled);
}

task<void> cancelled_and_met() {
  auto answered = co_await with_timeout(30ms, answered_soon());
  expect(answered.has_value());
  auto slept = co_await sleep_for(60ms);  // libuv's timer is still set to the deadline that was cancelled
  expect(slept.has_value());
}

task<void> file_changed(loop& home, std::string path) {
  auto watch = file_watch::start(home, path, 20ms);
  expect(fatal(watch.has_value()));
  auto changed = co_await watch->changed();
  expect(changed.has_value());
}

task<void> until(event& set) {
  auto waited = co_await set.wait();
  expect(waited.has_value());
}

// A timer of the program's own.
class ticker {
 public:
  explicit ticker(libuv_program& program) {
    uv_timer_init(program.loop(), &timer_);
    timer_.data = this;
    uv_timer_start(&timer_, [](uv_timer_t* t) { ++static_cast<ticker*>(t->data)->ticks; }, 1, 1);
  }
  void close() { uv_close(reinterpret_cast<uv_handle_t*>(&timer_), nullptr); }
  int ticks = 0;

 private:
  uv_timer_t timer_{};
};

// What a program with another event loop does: it sleeps outside of libuv, on its descriptor, for as long as libuv
// says.
void run_from_outside(libuv_program& program, const bool& until) {
  for (int rounds = 0; !until && rounds < 100'000; ++rounds) {
    pollfd looked{.fd = uv_backend_fd(program.loop()), .events = POLLIN, .revents = 0};
    const int patience = uv_backend_timeout(program.loop());
    expect(fatal(::poll(&looked, 1, patience < 0 ? 10'000 : patience) >= 0));
    program.run(UV_RUN_NOWAIT);
  }
  expect(until);
}

const suite<"attached_loop"> tests = [] {
  "a task runs on the program's loop, and its value is delivered there"_test = [] {
    libuv_program program;
    attached_loop attached{program.loop()};
    int got = 0;
    bool detached = false;
    attached.start(answer(), [&](int value) {
      got = value;
      attached.detach([&] { detached = true; });
    });
    expect(got == 0_i) << "not before the program runs its loop";
    expect(program.run() == 0_i);
    expect(got == 42_i && detached && !attached.is_attached());
  };

  "nothing of the program's is touched"_test = [] {
    libuv_program program;
    int its_own = 0;
    program.loop()->data = &its_own;
    ticker clock{program};
    attached_loop attached{program.loop()};
    int exchanged = 0;
    attached.start(exchange(attached.event_loop(), 1000, exchanged), [&] { attached.detach([&] { clock.close(); }); });
    program.run();
    expect(exchanged == 1000_i);
    expect(program.loop()->data == &its_own);
  };

  "it is attached and detached a thousand times"_test = [] {
    libuv_program program;
    const std::size_t before = testing::open_descriptors();
    int exchanged = 0;
    for (int i = 0; i < 1000; ++i) {
      attached_loop attached{program.loop()};
      attached.start(exchange(attached.event_loop(), 2, exchanged), [&] { attached.detach({}); });
      program.run();
      expect(!attached.is_attached());
    }
    expect(exchanged == 2000_i);
    expect(testing::open_descriptors() <= before + 1) << "libuv's own async descriptor at most";
  };

  "a program that stops its loop in the middle goes on where it was"_test = [] {
    libuv_program program;
    attached_loop attached{program.loop()};
    int exchanged = 0;
    attached.start(exchange(attached.event_loop(), 500, exchanged), [&] { attached.detach({}); });
    int stops = 0;
    while (attached.is_attached()) {
      uv_stop(program.loop());
      program.run();
      program.run(UV_RUN_NOWAIT);
      if (++stops > 100'000) break;
    }
    expect(exchanged == 500_i && stops > 10 && !attached.is_attached());
  };

  "a program with another event loop drives it by libuv's descriptor and timeout"_test = [] {
    libuv_program program;
    attached_loop attached{program.loop()};
    int exchanged = 0;
    bool slept = false;
    bool detached = false;
    attached.start(answer(), [&](int) { slept = true; });
    attached.start(exchange(attached.event_loop(), 300, exchanged),
                   [&] { attached.start(answer(), [&](int) { attached.detach([&] { detached = true; }); }); });
    run_from_outside(program, detached);
    expect(slept && exchanged == 300_i);
  };

  "detaching stops what was started, and what it holds is released"_test = [] {
    libuv_program program;
    attached_loop attached{program.loop()};
    std::optional<result<void>> outcome;
    attached.start(sleep_long(), [&outcome, held = counted{}](result<void> r) { outcome = std::move(r); });
    attached.start(answer(), [&](int) { attached.detach({}); });
    program.run();
    expect(outcome && outcome->has_error() && outcome->error().code == errc::cancelled);
    expect(counted::alive() == 0_i);
  };

  "detaching waits for a function that the pool is running"_test = [] {
    std::atomic<bool> begun = false;
    std::atomic<bool> ended = false;
    bool detached = false;
    libuv_program program;
    attached_loop attached{program.loop()};
    attached.start(offloaded(begun, ended));
    for (int i = 0; i < 10'000 && !begun; ++i) {
      program.run(UV_RUN_NOWAIT);
      std::this_thread::sleep_for(1ms);
    }
    attached.detach([&] {
      expect(ended.load());
      detached = true;
    });
    program.run();
    expect(detached);
  };

  "a clock of a test works on an attached loop"_test = [] {
    testing::manual_clock clock;
    libuv_program program;
    attached_loop attached{program.loop(), loop::options{.clock = &clock}};
    attached.start(sleep_long(), [&](const result<void>& slept) {
      expect(slept.has_value());
      attached.detach({});
    });
    program.run();
    expect(clock.elapsed() == 1h);
  };

  "functions of other threads arrive, and are refused once it is detached"_test = [] {
    libuv_program program;
    attached_loop attached{program.loop()};
    std::atomic<int> arrived = 0;
    std::thread poster{[&] {
      for (int i = 0; i < 1000; ++i) {
        attached.event_loop().post([&] {
          if (++arrived == 1000) attached.detach({});
        });
      }
    }};
    program.run();
    poster.join();
    expect(arrived.load() == 1000_i);
    expect(!attached.event_loop().post([] {}));
  };

  "the thread's signals are as before when it is detached"_test = [] {
    libuv_program program;
    attached_loop attached{program.loop()};
    sigset_t now{};
    pthread_sigmask(SIG_SETMASK, nullptr, &now);
    expect(sigismember(&now, SIGPIPE) == 1_i && sigismember(&now, SIGXFSZ) == 1_i);
    raise(SIGPIPE);
    attached.detach({});
    program.run();
    pthread_sigmask(SIG_SETMASK, nullptr, &now);
    expect(sigismember(&now, SIGPIPE) == 0_i && sigismember(&now, SIGXFSZ) == 0_i);
  };

  "what a function of the program throws is logged, and the loop goes on"_test = [] {
    std::string logged;
    libuv_program program;
    loop::options options{.log = logger{[&](const log_record& record) { logged += record.text; }, log_level::error}};
    attached_loop attached{program.loop(), std::move(options)};
    attached.start(answer(), [](int) { throw std::runtime_error{"no such thing"}; });
    attached.start(answer(), [&](int) { attached.detach([] { throw std::runtime_error{"the end"}; }); });
    program.run();
    expect(logged.find("no such thing") != std::string::npos && logged.find("the end") != std::string::npos) << logged;
  };

  "EMB-9 driven from another event loop, a deadline is met behind one that was cancelled"_test = [] {
    libuv_program program;
    attached_loop attached{program.loop()};
    bool ended = false;
    attached.start(cancelled_and_met(), [&] { attached.detach([&] { ended = true; }); });
    const auto before = std::chrono::steady_clock::now();
    run_from_outside(program, ended);
    expect(std::chrono::steady_clock::now() - before < 5s) << "libuv knows of every deadline when uv_run returns";
  };

  "EMB-9 driven from another event loop, what an event of libuv starts is timed"_test = [] {
    const testing::temporary_folder folder;
    libuv_program program;
    attached_loop attached{program.loop()};
    bool ended = false;
    attached.start(file_changed(attached.event_loop(), folder / "file"),
                   [&] { attached.detach([&] { ended = true; }); });
    for (int i = 0; i < 10; ++i) program.run(UV_RUN_NOWAIT);
    std::ofstream{folder / "file"} << "changed";
    const auto before = std::chrono::steady_clock::now();
    run_from_outside(program, ended);
    expect(std::chrono::steady_clock::now() - before < 5s);
  };

  "EMB-9 what the program does outside of libuv's callbacks wakes the loop"_test = [] {
    libuv_program program;
    attached_loop attached{program.loop()};
    bool ended = false;
    event pressed;
    attached.start(until(pressed), [&] { attached.detach([&] { ended = true; }); });
    while (uv_backend_timeout(program.loop()) == 0) program.run(UV_RUN_NOWAIT);
    for (int i = 0; i < 5; ++i) program.run(UV_RUN_NOWAIT);
    pressed.set();  // as a button would
    const auto before = std::chrono::steady_clock::now();
    run_from_outside(program, ended);
    expect(std::chrono::steady_clock::now() - before < 5s);
  };

  "EMB-1 what a posted function throws is logged"_test = [] {
    libuv_program program;
    std::string logged;
    loop::options options;
    options.log = logger{[&](const log_record& record) { logged += record.text; }, log_level::info};
    attached_loop attached{program.loop(), std::move(options)};
    attached.event_loop().post([] { throw std::runtime_error{"of no use"}; });
    attached.event_loop().post([&] { attached.detach({}); });
    program.run();
    expect(logged == "loop::post threw: of no use") << logged;
  };

  "EMB-9 of two attached loops, the one that is detached first leaves SIGPIPE blocked for the other"_test = [] {
    const auto is_blocked = [] {
      sigset_t mask{};
      pthread_sigmask(SIG_SETMASK, nullptr, &mask);
      return sigismember(&mask, SIGPIPE) == 1;
    };
    const bool before = is_blocked();
    libuv_program program;
    attached_loop first{program.loop()};
    attached_loop second{program.loop()};
    first.detach([&] {
      expect(is_blocked());
      second.detach({});
    });
    program.run();
    expect(is_blocked() == before);
  };

  "the object may be destroyed by the function that hears of its end"_test = [] {
    libuv_program program;
    auto attached = std::make_unique<attached_loop>(program.loop());
    attached->start(answer(), [&](int) { attached->detach([&] { attached.reset(); }); });
    program.run();
    expect(attached == nullptr);
  };

  "a broken rule ends the process with a sentence"_test = [] {
    expect(testing::aborts_with("an attached loop died before it was detached", [] {
      uv_loop_t program{};
      uv_loop_init(&program);
      const attached_loop attached{&program};
    }));
    expect(testing::aborts_with("an attached loop is run by the embedding program", [] {
      uv_loop_t program{};
      uv_loop_init(&program);
      attached_loop attached{&program};
      attached.event_loop().run(answer());
    }));
    expect(testing::aborts_with("a loop was detached twice", [] {
      uv_loop_t program{};
      uv_loop_init(&program);
      attached_loop attached{&program};
      attached.detach({});
      attached.detach({});
    }));
  };
};

}  // namespace attached_loop_test

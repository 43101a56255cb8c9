// SPDX-License-Identifier: MIT
// Questions to the embedding program and its answers; and the counting of those who are inside an object.
#include "../../runtime/async/reply.hpp"

#include <stdexcept>
#include <thread>

#include "../../runtime/async/call_handler.hpp"
#include "../../runtime/async/scope.hpp"
#include "../../runtime/async/sleep.hpp"
#include "../../runtime/async/timeout.hpp"
#include "../../runtime/async/wait_group.hpp"
#include "../support/aborts_with.hpp"
#include "../support/counted.hpp"
#include "../support/every_step.hpp"
#include "../support/manual_clock.hpp"
#include "../support/run.hpp"
#include "../support/ut.hpp"

namespace reply_test {

using namespace hawser;
using namespace hawser::testing;

struct wish {
  std::string text{};
};
using handler = std::function<void(wish, reply<std::string>)>;

// One question, and the answer: "(declined)" for none, "(cancelled)" for a stop.
task<std::string> asked(handler how, executor where = {}) {
  const context here = co_await this_context();
  const loop_proxy_ptr proxy = std::make_shared<loop_proxy>(*here.loop);
  auto got = co_await call_handler_or_decline<wish, std::string>(proxy, std::move(where), std::move(how), "the handler",
                                                                 wish{"tea"});
  proxy->close();
  if (!got) co_return got.error().code == errc::cancelled ? "(cancelled)" : got.error().what;
  if (!got->has_value()) co_return "(declined)";
  co_return **got;
}

std::string answer_of(handler how, executor where = {}) { return run(asked(std::move(how), std::move(where))); }

const suite<"reply"> tests = [] {
  "an answer at once"_test = [] {
    expect(answer_of([](wish w, reply<std::string> give) { give("more " + w.text); }) == "more tea");
  };

  "an answer that is dropped has declined"_test = [] {
    expect(answer_of([](wish, reply<std::string>) {}) == "(declined)");
    expect(answer_of([](wish, reply<std::string> give) { const auto kept = std::move(give); }) == "(declined)");
  };

  "the first answer counts"_test = [] {
    expect(answer_of([](wish, reply<std::string> give) {
             give("one");
             give("two");
           }) == "one");
  };

  "a reply that is assigned over has declined its question"_test = [] {
    expect(answer_of([](wish, reply<std::string> give) {
             reply<std::string> other{nullptr, nullptr};
             give = std::move(other);
           }) == "(declined)");
  };

  "the answer may come from another thread, and later"_test = [] {
    std::thread later;
    const std::string got = answer_of([&](wish w, reply<std::string> give) {
      later = std::thread{[w = std::move(w), give = std::move(give)]() mutable { give("there: " + w.text); }};
    });
    later.join();
    expect(got == "there: tea");
    const std::string none = answer_of([&](wish, reply<std::string> give) {
      later = std::thread{[give = std::move(give)]() mutable { const auto dropped = std::move(give); }};
    });
    later.join();
    expect(none == "(declined)");
  };

  "an executor runs the callback where it likes, or not at all, which declines"_test = [] {
    std::thread elsewhere;
    std::thread::id ran_on;
    const executor over_there = [&](std::function<void()> work) { elsewhere = std::thread{std::move(work)}; };
    const std::string got = answer_of(
        [&](wish, reply<std::string> give) {
          ran_on = std::this_thread::get_id();
          give("done");
        },
        over_there);
    elsewhere.join();
    expect(got == "done" and ran_on != std::this_thread::get_id() and ran_on != std::thread::id{});
    expect(answer_of([](wish, reply<std::string> give) { give("done"); }, [](std::function<void()>) {}) ==
           "(declined)");
  };

  "a callback that throws has declined, and nothing else comes of it"_test = [] {
    expect(answer_of([](wish, reply<std::string>) { throw std::runtime_error{"oh"}; }) == "(declined)");
    expect(answer_of([](wish, reply<std::string>) { throw 7; }) == "(declined)");
    expect(answer_of([](wish, reply<std::string> give) {
             give("before");
             throw std::runtime_error{"oh"};
           }) == "before");
    expect(answer_of([](wish, reply<std::string>) {},
                     [](const std::function<void()>&) { throw std::runtime_error{"full"}; }) == "(declined)");
  };

  "a stop ends the wait; an answer that comes later is dropped, also after the loop"_test = [] {
    static std::optional<reply<std::string>> kept;
    manual_clock by;
    const std::string got = run(by, []() -> task<std::string> {
      std::string text;
      scope asking{co_await this_context()};
      asking.spawn([](std::string& into) -> task<void> {
        into = co_await asked([](wish, reply<std::string> give) { kept.emplace(std::move(give)); });
      }(text));
      auto slept = co_await sleep_for(std::chrono::seconds{1});
      expect(slept.has_value() and kept.has_value() and text.empty()) << "still open";
      asking.request_stop();
      co_await asking.join();
      co_return text;
    }());
    expect(got == "(cancelled)");
    (*kept)("too late");
    kept.reset();
  };

  "asking leaves nothing behind, at whatever step it is stopped"_test = [] {
    every_step([](loop& l) -> task<void> {
      const counted alive;
      const loop_proxy_ptr proxy = std::make_shared<loop_proxy>(l);
      handler how = [counter = counted{}](wish, reply<std::string> give) { give("yes"); };
      auto got =
          co_await call_handler_or_decline<wish, std::string>(proxy, {}, std::move(how), "the handler", wish{"tea"});
      expect(got.has_value() or got.error().code == errc::cancelled);
      proxy->close();
    });
  };
};

struct hall {
  wait_group users;
  task<void> stay(duration length) {
    const wait_group::guard in{users};
    const counted alive;
    auto slept = co_await sleep_for(length);
    ignore(slept, "a stop ends it, too");
  }
};

const suite<"usage"> usage_tests = [] {
  "close waits for the last function that is running"_test = [] {
    manual_clock by;
    run(by, [](manual_clock& c) -> task<void> {
      hall h;
      scope all{co_await this_context()};
      for (const int length : {3, 9, 5}) all.spawn(h.stay(std::chrono::seconds{length}));
      auto turn = co_await sleep_for(std::chrono::seconds{1});
      expect(turn.has_value() and h.users.count() == 3_ul);
      co_await h.users.wait();
      expect(h.users.count() == 0_ul and c.elapsed() >= std::chrono::seconds{9});
      co_await all.join();
    }(by));
  };

  "close does not wait if no function is running"_test = [] {
    manual_clock by;
    run(by, [](manual_clock& c) -> task<void> {
      hall h;
      co_await h.users.wait();
      expect(c.elapsed() == duration::zero());
    }(by));
  };

  "a stop does not shorten the wait: those inside end by it themselves"_test = [] {
    manual_clock by;
    every_step(
        [](loop&) -> task<void> {
          const counted alive;
          hall h;
          scope all{co_await this_context()};
          all.spawn(h.stay(std::chrono::seconds{3}));
          all.spawn(h.stay(std::chrono::seconds{5}));
          auto turn = co_await sleep_for(std::chrono::seconds{1});
          ignore(turn, "only a turn of the loop is wanted");
          co_await h.users.wait();
          expect(h.users.count() == 0_ul);
          co_await all.join();
        },
        {.clock = &by});
  };

  "destroying an object that is in use ends the process with a message"_test = [] {
    expect(aborts_with("an object died while coroutines were inside it", [] {
      auto h = std::make_unique<wait_group>();
      const auto* inside = new wait_group::guard{*h};
      static_cast<void>(inside);
      h.reset();
    }));
  };
};

}  // namespace reply_test

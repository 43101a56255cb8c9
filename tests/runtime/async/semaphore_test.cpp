// SPDX-License-Identifier: MIT
#include "../../../runtime/async/semaphore.hpp"

#include <vector>

#include "../../../runtime/async/event.hpp"
#include "../../../runtime/async/scope.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../../runtime/async/timeout.hpp"
#include "../../support/aborts_with.hpp"
#include "../../support/counted.hpp"
#include "../../support/every_step.hpp"
#include "../../support/manual_clock.hpp"
#include "../../support/run.hpp"
#include "../../support/ut.hpp"

namespace semaphore_test {

using namespace hawser;
using namespace hawser::testing;

task<result<semaphore::permit>> take(semaphore& from) { co_return co_await from.acquire(); }

// Holds a place until it is told to let go, and notes when it got it.
task<void> hold(semaphore& from, int name, std::vector<int>& order, event& until) {
  const counted alive;
  auto place = co_await from.acquire();
  if (!place) {
    order.push_back(-name);
    co_return;
  }
  order.push_back(name);
  auto waited = co_await until.wait();
  ignore(waited, "a stop ends it, too");
}

task<void> let_others_run(int turns = 5) {
  for (int i = 0; i < turns; ++i) {
    auto slept = co_await sleep_for(duration{1});
    ignore(slept, "only a turn of the loop is wanted");
  }
}

const suite<"semaphore"> tests = [] {
  "a place is taken without waiting where there is one, and given back like any other"_test = [] {
    semaphore places{1};
    auto one = places.try_acquire();
    expect(one.has_value() && places.available() == 0_ul && !places.try_acquire().has_value());
    one.reset();
    expect(places.available() == 1_ul);
  };

  "places are taken while there are any, and come back when a permit dies"_test = [] {
    manual_clock by;
    run(by, []() -> task<void> {
      semaphore places{2};
      {
        auto one = co_await places.acquire();
        auto two = co_await places.acquire();
        expect(one.has_value() and two.has_value() and places.available() == 0_ul);
        auto three = co_await with_timeout(std::chrono::seconds{1}, take(places));
        expect(!three and three.error().code == errc::timed_out);
      }
      expect(places.available() == 2_ul);
    }());
  };

  "permits are granted in the order of the requests"_test = [] {
    manual_clock by;
    run(by, []() -> task<void> {
      semaphore places{1};
      std::vector<int> order;
      event until[4];
      scope all{co_await this_context()};
      for (int i = 0; i < 4; ++i) all.spawn(hold(places, i + 1, order, until[i]));
      for (int i = 0; i < 4; ++i) {
        co_await let_others_run();
        expect(order.size() == static_cast<std::size_t>(i + 1) and order.back() == i + 1);
        expect(places.available() == 0_ul);
        until[i].set();
      }
      co_await all.join();
      expect(places.available() == 1_ul);
    }());
  };

  "a new waiter does not overtake one whose permit is already granted"_test = [] {
    manual_clock by;
    run(by, []() -> task<void> {
      semaphore places{1};
      std::vector<int> order;
      event go;
      go.set();
      auto mine = co_await places.acquire();
      scope all{co_await this_context()};
      all.spawn(hold(places, 1, order, go));
      co_await let_others_run();
      mine->release();
      expect(places.available() == 0_ul) << "it was handed over, not put back";
      auto again = co_await places.acquire();
      expect(again.has_value() and order == std::vector<int>{1});
      again->release();
      co_await all.join();
    }());
  };

  "one that stops waiting leaves the line, and the next one moves up"_test = [] {
    manual_clock by;
    run(by, []() -> task<void> {
      semaphore places{1};
      std::vector<int> order;
      event never;
      event go;
      go.set();
      auto mine = co_await places.acquire();
      scope impatient{co_await this_context()};
      scope patient{co_await this_context()};
      impatient.spawn(hold(places, 1, order, never));
      co_await let_others_run();
      patient.spawn(hold(places, 2, order, go));
      co_await let_others_run();
      impatient.request_stop();
      co_await impatient.join();
      expect(order == std::vector<int>{-1});
      mine->release();
      co_await patient.join();
      expect((order == std::vector<int>{-1, 2}) and places.available() == 1_ul);
    }());
  };

  "a place that was granted before a stop is handed over, not lost"_test = [] {
    manual_clock by;
    run(by, []() -> task<void> {
      semaphore places{1};
      std::vector<int> order;
      event never;
      auto mine = co_await places.acquire();
      scope waiting{co_await this_context()};
      waiting.spawn(hold(places, 1, order, never));
      co_await let_others_run();
      mine->release();
      waiting.request_stop();
      co_await waiting.join();
      expect(order == std::vector<int>{1} and places.available() == 1_ul);
    }());
  };

  "a permit that is moved is given back once"_test = [] {
    run([]() -> task<void> {
      semaphore places{2};
      auto got = co_await places.acquire();
      semaphore::permit one = std::move(*got);
      semaphore::permit two;
      two = std::move(one);
      expect(places.available() == 1_ul);
      auto other = co_await places.acquire();
      expect(places.available() == 0_ul);
      two = std::move(*other);
      expect(places.available() == 1_ul) << "the place that was overwritten came back";
      two.release();
      two.release();
      expect(places.available() == 2_ul);
      semaphore::permit& same = two;
      two = std::move(same);
      expect(places.available() == 2_ul);
    }());
  };

  "no place at all means to wait for a stop"_test = [] {
    manual_clock by;
    run(by, []() -> task<void> {
      semaphore places{0};
      auto got = co_await with_timeout(std::chrono::seconds{1}, take(places));
      expect(!got and got.error().code == errc::timed_out and places.available() == 0_ul);
    }());
  };

  "stopped at any step, every place comes back"_test = [] {
    manual_clock by;
    every_step(
        [](loop&) -> task<void> {
          const counted alive;
          semaphore places{2};
          std::vector<int> order;
          event go;
          scope all{co_await this_context()};
          for (int i = 1; i <= 5; ++i) all.spawn(hold(places, i, order, go));
          co_await let_others_run(3);
          go.set();
          co_await all.join();
          expect(places.available() == 2_ul and order.size() == 5_ul);
        },
        {.clock = &by});
  };

  "a semaphore that dies under somebody who waits ends the process with a sentence"_test = [] {
    expect(aborts_with("a semaphore died while somebody waited", [] {
      manual_clock by;
      run(by, []() -> task<void> {
        auto places = std::make_unique<semaphore>(0);
        std::vector<int> order;
        event go;
        scope all{co_await this_context()};
        all.spawn(hold(*places, 1, order, go));
        co_await let_others_run();
        places.reset();
        co_await all.join();
      }());
    }));
    expect(aborts_with("a semaphore died while somebody had a place", [] {
      auto places = std::make_unique<semaphore>(1);
      const auto kept = places->try_acquire();
      places.reset();
    }));
  };
};

}  // namespace semaphore_test

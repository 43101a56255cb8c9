// SPDX-License-Identifier: MIT
#include "../../../runtime/async/event.hpp"

#include <vector>

#include "../../../runtime/async/queue.hpp"
#include "../../../runtime/async/scope.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../support/every_step.hpp"
#include "../../support/run.hpp"
#include "../../support/ut.hpp"

namespace event_test {

using namespace hawser;
using testing::counted;
using testing::run;

task<void> waiter(event& e, int& woken) {
  const counted alive;
  const auto waited = co_await e.wait();
  if (waited) ++woken;
}

task<void> many_waiters(loop& /*unused*/) {
  event e;
  int woken = 0;
  scope s{co_await this_context()};
  for (int i = 0; i < 5; ++i) s.spawn(waiter(e, woken));
  co_await yield();
  co_await yield();
  e.set();
  co_await s.join();
  const context where = co_await this_context();
  if (!where.stop_requested()) expect(woken == 5);
}

task<void> set_and_reset() {
  event e;
  int woken = 0;
  e.set();
  co_await waiter(e, woken);
  expect(woken == 1 && e.is_set());
  e.reset();
  scope s{co_await this_context()};
  s.spawn(waiter(e, woken));
  co_await yield();
  co_await yield();
  expect(woken == 1) << "a reset event makes waiters wait again";
  s.request_stop();
  co_await s.join();
  expect(woken == 1) << "a stopped waiter was not woken by the event";
}

task<void> producer(queue<int>& q, int count) {
  const counted alive;
  for (int i = 0; i < count; ++i) {
    auto pushed = co_await q.push(i);
    if (!pushed) break;
  }
  q.close();
}

task<void> consumer(queue<int>& q, std::vector<int>& got) {
  const counted alive;
  while (true) {
    auto item = co_await q.pop();
    if (!item) {
      expect(item.error().code == errc::closed || item.error().code == errc::cancelled);
      co_return;
    }
    got.push_back(*item);
  }
}

task<std::vector<int>> through(std::size_t capacity, int count) {
  queue<int> q{capacity};
  std::vector<int> got;
  scope s{co_await this_context()};
  s.spawn(producer(q, count));
  s.spawn(consumer(q, got));
  co_await s.join();
  co_return got;
}

task<void> small_queue(loop& /*unused*/) {
  const auto got = co_await through(2, 10);
  for (std::size_t i = 0; i < got.size(); ++i)
    expect(got[i] == static_cast<int>(i)) << "a stop loses nothing in the middle";
}

task<void> bounds() {
  queue<int> q{2};
  int value = 1;
  expect(q.try_push(value) && q.try_push(value) && !q.try_push(value));
  expect(q.size() == 2U);
  q.close();
  expect(!q.try_push(value));
  auto late = co_await q.push(3);
  expect(late.has_error() && late.error().code == errc::closed);
  auto first = co_await q.pop();
  auto second = co_await q.pop();
  auto third = co_await q.pop();
  expect(first.has_value() && second.has_value()) << "what was in it comes out after close";
  expect(third.has_error() && third.error().code == errc::closed);
}

const suite<"event and queue"> tests = [] {
  "an event wakes everybody who waits, at every step"_test = [] { testing::every_step(many_waiters); };
  "an event stays set until it is reset"_test = [] { run(set_and_reset()); };

  "a queue keeps the order and loses nothing, whatever its size"_test = [] {
    for (const std::size_t capacity : {1U, 2U, 7U, 1000U}) {
      const auto got = run(through(capacity, 500));
      expect(got.size() == 500U);
      for (int i = 0; i < static_cast<int>(got.size()); ++i) expect(got[static_cast<std::size_t>(i)] == i);
    }
  };
  "a full or closed queue says so"_test = [] { run(bounds()); };
  "a queue stopped at every step"_test = [] { testing::every_step(small_queue); };
};

}  // namespace event_test

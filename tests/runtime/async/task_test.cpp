// SPDX-License-Identifier: MIT
#include "../../../runtime/async/task.hpp"

#include <stdexcept>
#include <string>

#include "../../../runtime/async/sleep.hpp"
#include "../../../runtime/error.hpp"
#include "../../support/counted.hpp"
#include "../../support/every_step.hpp"
#include "../../support/run.hpp"
#include "../../support/ut.hpp"

namespace task_test {

using namespace hawser;
using testing::counted;
using testing::run;

task<int> number(int n) { co_return n; }

task<long> sum_of_ready_children(int count) {
  long sum = 0;
  for (int i = 0; i < count; ++i) sum += co_await number(1);
  co_return sum;
}

task<int> deep(int depth) {
  if (depth == 0) co_return 0;
  co_return 1 + co_await deep(depth - 1);
}

task<int> throwing() {
  throw std::logic_error{"a bug"};
  co_return 0;
}

task<std::string> caught() {
  try {
    co_await throwing();
  } catch (const std::logic_error& e) {
    co_return e.what();
  }
  co_return "nothing";
}

task<void> holding(const counted& /*by_reference*/, counted by_value) {
  const counted local = by_value;
  co_await yield();
  co_await yield();
}

task<void> two_levels(loop& /*unused*/) {
  const counted mine;
  co_await holding(mine, counted{});
  co_await holding(mine, counted{});
}

task<result<int>> failing() { co_return error{.code = errc::parse, .what = "bad"}; }
task<result<int>> empty_braces() { co_return {}; }

task<bool> sees_its_loop(loop& expected) {
  const context where = co_await this_context();
  co_return where.loop == &expected&& where.stop != nullptr && !where.stop_requested();
}

const suite<"task"> tests = [] {
  "a task runs nothing before it is awaited"_test = [] {
    const counted probe;
    {
      const auto never = holding(probe, counted{});
      expect(counted::alive() == 2) << "the parameter is in the frame, the local is not";
    }
    expect(counted::alive() == 1);
  };

  "a task gives its value to the one that awaits it"_test = [] { expect(run(number(42)) == 42); };

  "a million awaits of ready children do not grow the stack"_test = [] {
    expect(run(sum_of_ready_children(1'000'000)) == 1'000'000);
  };

  "a chain of tasks ends from the inside out"_test = [] { expect(run(deep(1000)) == 1000); };

  "an exception reaches the parent"_test = [] { expect(run(caught()) == std::string{"a bug"}); };

  "an exception that nobody catches reaches the caller of run"_test = [] {
    expect(throws<std::logic_error>([] { run(throwing()); }));
  };

  "a task returns an error or a default value as a result"_test = [] {
    const auto r = run(failing());
    expect(r.has_error() && r.error().code == errc::parse);
    expect(run(empty_braces()).has_value());
  };

  "a task inherits loop and stop from its parent"_test = [] {
    loop l;
    expect(l.run(sees_its_loop(l)));
  };

  "a task stopped at every step frees its frames"_test = [] { testing::every_step(two_levels); };
};

}  // namespace task_test

// SPDX-License-Identifier: MIT
#include "../../runtime/guarded.hpp"

#include <stdexcept>

#include "../../runtime/async/sleep.hpp"
#include "../support/counted.hpp"
#include "../support/every_step.hpp"
#include "../support/manual_clock.hpp"
#include "../support/run.hpp"
#include "../support/ut.hpp"

namespace guarded_test {

using namespace hawser;
using namespace hawser::testing;

task<result<int>> ends(std::string_view how) {
  const counted alive;
  auto slept = co_await sleep_for(std::chrono::seconds{1});
  if (!slept) co_return slept.error();
  if (how == "throw") throw std::runtime_error{"late"};
  if (how == "fail") co_return error{.code = errc::io, .what = "no"};
  co_return 7;
}

std::string outcome_of(const result<int>& got) { return got ? std::to_string(*got) : got.error().what; }

const suite<"guarded"> tests = [] {
  "EMB-1 what a function throws is an error with the function's name"_test = [] {
    expect(outcome_of(guarded("f", [] { return 7; })) == "7");
    expect(outcome_of(guarded("f", []() -> int { throw std::runtime_error{"no"}; })) == "f threw: no");
    expect(outcome_of(guarded("f", []() -> int { throw std::bad_alloc{}; })).starts_with("f threw: "));
    expect(outcome_of(guarded("f", []() -> int { throw 7; })) == "f threw something that is no std::exception");
    const auto nothing = guarded("f", [] {});
    expect(nothing.has_value());
  };
  "EMB-1 what a task throws is an error with the function's name, and a log line where one is wanted"_test = [] {
    std::string lines;
    const logger log{[&](const log_record& record) { lines.append(record.text).append(";"); }, log_level::error};
    const auto by = [&](std::string_view how) {
      manual_clock clock;
      return outcome_of(run(clock, guarded_task("f", [how] { return ends(how); }, &log)));
    };
    expect(by("return") == "7" && by("fail") == "no" && lines.empty());
    expect(by("throw") == "f threw: late" && lines == "f threw: late;") << lines;
    const auto at_once = run(guarded_task("f", []() -> task<result<int>> { throw std::runtime_error{"early"}; }));
    expect(outcome_of(at_once) == "f threw: early");
  };
  "EMB-1 a guarded task leaves nothing behind, at whatever step it is stopped"_test = [] {
    manual_clock clock;
    every_step(
        [](loop&) -> task<void> {
          const counted alive;
          auto guarded_end = guarded_task("f", [] { return ends("throw"); });
          auto got = co_await std::move(guarded_end);
          expect(got.has_error());
        },
        {.clock = &clock});
  };
};

}  // namespace guarded_test

// SPDX-License-Identifier: MIT
#include "../../../bench/report/distribution.hpp"

#include <numeric>

#include "../../support/ut.hpp"

namespace distribution_test {

using namespace hawser::bench;
using std::chrono::nanoseconds;

distribution of_rounds(const std::vector<std::vector<std::int64_t>>& rounds) {
  distribution made;
  for (const auto& round : rounds) {
    for (const std::int64_t one : round) made.add(nanoseconds{one});
    made.end_round();
  }
  return made;
}

const boost::ut::suite<"distribution"> tests = [] {
  using namespace boost::ut;

  "percentiles go by the nearest rank, in microseconds"_test = [] {
    distribution d;
    for (int i = 1000; i >= 1; --i) d.add(std::chrono::microseconds{i});
    expect(d.percentile(50) == 500.0_d);
    expect(d.percentile(99) == 990.0_d);
    expect(d.percentile(99.9) == 999.0_d);
    expect(d.percentile(100) == 1000.0_d);
  };

  "an empty distribution has percentiles of zero"_test = [] {
    const distribution nothing;
    expect(nothing.percentile(50) == 0.0_d);
    expect(nothing.ratio_to(nothing) == 0.0_d);
    expect(nothing.round_spread() == 0.0_d);
    expect(median({}) == 0.0_d);
  };

  "a ratio compares rounds with their own floor, so that a machine that slows down does not change it"_test = [] {
    const auto floor = of_rounds({{100, 100}, {1000, 1000}, {100, 100}});
    const auto twice = of_rounds({{200, 200}, {2000, 2000}, {200, 200}});
    expect(twice.ratio_to(floor) == 2.0_d);
  };

  "the spread says how far apart the rounds are"_test = [] {
    expect(of_rounds({{100}, {100}, {100}, {100}}).round_spread() == 0.0_d);
    expect(of_rounds({{100}, {100}}).round_spread() == 0.0_d) << "two rounds say nothing";
    const double wild =
        of_rounds({{100}, {100}, {300}, {300}, {100}, {300}, {100}, {300}, {100}, {300}}).round_spread();
    expect(wild == 2.0_d);
  };
};

}  // namespace distribution_test

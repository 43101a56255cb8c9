// SPDX-License-Identifier: MIT
#include "../../../bench/report/report.hpp"

#include "../../support/ut.hpp"

namespace report_test {

using namespace hawser::bench;

candidate rounds(std::string name, const std::vector<int>& medians) {
  candidate made{.name = std::move(name)};
  for (const int one : medians) {
    made.latency.add(std::chrono::nanoseconds{one});
    made.latency.end_round();
  }
  return made;
}

const boost::ut::suite<"report"> tests = [] {
  using namespace boost::ut;

  "a report fails if any goal is missed"_test = [] {
    report found;
    expect(found.met());
    found.add(figure_list{"one", {{.name = "P1", .figure = 1.2, .bar = 1.25}, {.name = "shown", .figure = 9}}});
    expect(found.met());
    found.add(figure_list{"two", {{.name = "P3", .figure = 10, .bar = 20, .wanted = goal::side::at_least}}});
    expect(not found.met());
  };

  "figures that were not pinned, or looked at quickly, are shown and not judged"_test = [] {
    settings s;
    expect(s.judged(2) == std::optional{2.0});
    s.free = true;
    expect(not s.judged(2).has_value());
    s = {};
    s.quick = true;
    expect(not s.judged(2).has_value());
  };

  "a floor whose rounds differ too much is warned of by name"_test = [] {
    report quiet;
    quiet.add(latency_table{"calls", {rounds("floor", {100, 103, 99, 101}), rounds("ours", {120, 300, 120, 300})}});
    warn_of_noise(quiet);
    expect(quiet.warnings().empty());
    report noisy;
    noisy.add(latency_table{"calls", {rounds("blocking", {100, 400, 100, 400, 90}), rounds("ours", {120, 120})}});
    warn_of_noise(noisy);
    expect(fatal(noisy.warnings().size() == 1_ul));
    expect(noisy.warnings()[0].find("blocking") != std::string::npos) << noisy.warnings()[0];
  };
};

}  // namespace report_test

// SPDX-License-Identifier: MIT
#include "../../support/bench_program.hpp"

namespace swap_test {

using namespace hawser;
using testing::bench_program;

const suite<"swap"> tests = [] {
  "calls go on while servers come and go"_test = [] {
    if (!testing::bench_can_measure()) return;
    bench_program p{{"swap", "--rounds", "2", "--per-round", "500", "--free", "--json"}};
    expect(p.wait() == 0_i) << p.err();
    expect(p.lines_with("candidate", "nothing changes") == 2_i);
    expect(p.figure("a server inside comes and goes: times") >= 2.0_d);
    expect(p.figure("a process comes and goes: times") >= 2.0_d);
  };
};

}  // namespace swap_test

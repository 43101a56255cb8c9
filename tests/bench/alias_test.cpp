// SPDX-License-Identifier: MIT
#include <filesystem>

#include "../support/bench_program.hpp"
#include "../support/temporary_folder.hpp"

namespace alias_test {

using namespace hawser;
using testing::bench_program;

const suite<"hawser bench"> tests = [] {
  "hawser bench is hawser-bench, and says so where that is missing"_test = [] {
    bench_program alias{{"bench", "server", "--help"}, "hawser"};
    expect(alias.wait() == 0_i and alias.says("--start-timeout")) << alias.out() << alias.err();
    bench_program wrong{{"bench", "server"}, "hawser"};
    expect(wrong.wait() == 3_i) << "its exit code is its own";
    bench_program help{{"--help"}, "hawser"};
    expect(help.wait() == 0_i and help.says("bench"));
    const testing::temporary_folder folder;
    std::filesystem::copy(testing::program("hawser"), folder / "hawser");
    bench_program alone{folder / "hawser", {"bench", "floor"}, {"PATH=/nonexistent"}};
    expect(alone.wait() == 127_i and alone.says("neither beside hawser nor in the PATH")) << alone.err();
  };
};

}  // namespace alias_test

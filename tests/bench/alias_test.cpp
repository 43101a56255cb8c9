// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "../support/bench_program.hpp"
#include "../support/temporary_folder.hpp"

namespace alias_test {

using namespace hawser;
using testing::bench_program;

const suite<"hawser bench"> tests = [] {
  "hawser bench runs hawser-bench, and names it if it is missing"_test = [] {
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

  "CMD-2 words behind -- reach the server that is measured byte for byte"_test = [] {
    if (!testing::bench_can_measure()) return;
    const testing::temporary_folder folder;
    for (const char* name : {"hawser", "hawser-bench"}) {
      const std::string file = folder / name;
      std::vector<std::string> words{"server", "--free", "--env", "FILE=" + file, "--"};
      if (std::string_view{name} == "hawser") words.insert(words.begin(), "bench");
      words.insert(words.end(), {"/bin/sh", "-c", "for i; do printf '%s|' \"$i\"; done > \"$FILE\"", "sh"});
      words.insert(words.end(), {"[a,b]", "{}", "", "--json", "--", "-y", "[]", "a b"});
      bench_program measured{words, name};
      expect(measured.wait() == 2_i) << "the server ends at once" << measured.err();
      std::string got;
      std::ifstream written{file};
      std::getline(written, got, '\0');
      expect(got == "[a,b]|{}||--json|--|-y|[]|a b|") << got << measured.err();
    }
  };

  "CMD-1 an output that cannot be written is an error of hawser-bench"_test = [] {
    for (const char* redirected : {"exec \"$0\" --help >&-", "exec \"$0\" server --help > /dev/full"}) {
      bench_program p{"/bin/sh", {"-c", redirected, testing::program("hawser-bench")}};
      expect(p.wait() == 2_i && p.says("the output cannot be written")) << p.err();
    }
  };
};

}  // namespace alias_test

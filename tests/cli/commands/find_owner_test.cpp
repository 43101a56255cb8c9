// SPDX-License-Identifier: MIT
// `read`, `prompt` and `complete` without --server: which server is asked, and who is not waited for.
#include "../../../cli/commands/find_owner.hpp"

#include <chrono>
#include <string>

#include "../../support/contains.hpp"
#include "../../support/fixture.hpp"
#include "../hawser_program.hpp"

namespace find_owner_test {

using hawser::testing::cli_fixture;
using hawser::testing::contains;
using hawser::testing::ended_program;
using hawser::testing::survivors;

std::string told(const ended_program& of) {
  return "code " + std::to_string(of.code) + "\nout: " + of.out + "\nerr: " + of.err;
}

// Far less than a server has for its start, and far more than anything else takes.
constexpr std::chrono::seconds soon{hawser::testing::instrumented ? 25 : 15};

struct question {
  std::vector<std::string> words;
  std::string answer;
};

const std::vector<question> questions{
    {{"read", "demo://text"}, "A hawser is a thick rope.\n"},
    {{"prompt", "greet", "name=Ada", "style=brief"}, "user:\nPlease greet Ada in a brief way.\n"},
    {{"complete", "--prompt", "greet", "name=A"}, "Ada\nAlan\n"},
};

const suite<"find owner"> tests = [] {
  "CMD-12 a server that hangs does not hold up what another one has, and is named"_test = [] {
    const cli_fixture w{{"mute", "demo"}};
    for (const question& one : questions) {
      const auto begin = std::chrono::steady_clock::now();
      const auto r = w.run(one.words);
      expect(std::chrono::steady_clock::now() - begin < soon) << one.words.front() << told(r);
      expect(r.code == 0_i && r.out == one.answer) << told(r);
      expect(contains(r.err, "server \"demo\" has ") && contains(r.err, "; not asked: mute (starting)\n")) << told(r);
    }
    const auto quiet = w.run({"read", "-q", "demo://text"});
    expect(quiet.code == 0_i && quiet.err.empty()) << told(quiet);
    const auto bounded = w.run({"read", "demo://text", "--timeout", "8"});
    expect(bounded.code == 0_i && bounded.out == questions.front().answer) << told(bounded);
    expect(survivors(w.token(), 5000).empty());
  };

  "CMD-12 a server that fails is named without its error where another one has it"_test = [] {
    const cli_fixture w{{"broken", "demo", "off"}};
    for (const question& one : questions) {
      const auto r = w.run(one.words);
      expect(r.code == 0_i && r.out == one.answer) << told(r);
      expect(contains(r.err, "; not asked: broken (failed)\n") && !contains(r.err, "/nonexistent")) << told(r);
    }
    const auto none = w.run({"read", "demo://nothing"});
    expect(none.code == 4_i && contains(none.err, "/nonexistent/program")) << "then it matters" << told(none);
    expect(contains(none.err, "no server lists \"demo://nothing\"")) << told(none);
    w.write("mcp.json", R"({"mcpServers": {"bad": {"command": 7}, "demo": {"command": ")" +
                            hawser::testing::program("hawser") + R"(", "args": ["demo-server"]}}})");
    const auto refused = w.run({"read", "demo://text"});
    expect(refused.code == 0_i && contains(refused.err, "not asked: bad (its configuration has errors)"))
        << told(refused);
  };

  "CMD-12 what two servers have is asked of neither, whoever hangs beside them"_test = [] {
    const cli_fixture w{{"old", "mute", "demo"}};
    const auto begin = std::chrono::steady_clock::now();
    const auto r = w.run({"prompt", "greet", "name=Ada"});
    expect(std::chrono::steady_clock::now() - begin < soon) << told(r);
    expect(r.code == 1_i && r.out.empty() && contains(r.err, "name one with --server: demo old\n")) << told(r);
    const cli_fixture healthy{{"demo"}};
    const auto alone = healthy.run({"read", "demo://text"});
    expect(alone.code == 0_i && alone.err.empty()) << "there is nothing to say" << told(alone);
  };
};

}  // namespace find_owner_test

// SPDX-License-Identifier: MIT
// examples/uv_embed.cpp: a program with a libuv loop of its own calls tools on it.
#include <boost/json.hpp>
#include <cstdlib>

#include "../support/contains.hpp"
#include "../support/fixture.hpp"
#include "hawser_program.hpp"

namespace uv_embed_test {

using namespace hawser::testing;
namespace json = boost::json;

program_ends example() { return {.program_name = "example_uv_embed"}; }

double worst_delay_ms(const std::string& report) {
  constexpr std::string_view before = "worst delay ";
  const std::size_t at = report.find(before);
  return at == std::string::npos ? 1e9 : std::strtod(report.c_str() + at + before.size(), nullptr);
}

/// A cli_fixture with the demo server over pipes and over HTTP.
struct both_demos {
  both_demos() {
    server = at.start({"demo-server", "--http"});
    expect(server->says("/mcp\n")) << server->err();
    const std::string out = server->out();
    const json::object near{{"command", program("hawser")}, {"args", json::array{"demo-server"}}};
    const json::object far{{"url", out.substr(0, out.find('\n'))}};
    at.write("mcp.json", json::serialize(json::object{{"mcpServers", json::object{{"near", near}, {"far", far}}}}));
  }
  ended_program call(const std::string& count) const {
    return at.run({at.folder / "mcp.json", count, "near__add", R"({"a":1,"b":2})", "far__add", R"({"a":1,"b":2})"},
                  example());
  }
  cli_fixture at{{}};
  std::unique_ptr<running_program> server;
};

const suite<"uv_embed"> tests = [] {
  "ten thousand calls over pipes and HTTP take nothing from the program's own handles"_test = [] {
    const both_demos demos;
    const int count = instrumented ? 1'000 : 10'000;
    double added_ms = 0;
    // The machine's own delays are in both figures, and chance decides in which they are larger.
    for (int tries = 0; tries < 4; ++tries) {
      const auto alone = demos.call("0");
      expect(alone.code == 0_i && contains(alone.out, "0 calls answered, 0 failed")) << alone.out << alone.err;
      const auto with = demos.call(std::to_string(count));
      expect(with.code == 0_i && contains(with.out, std::to_string(count) + " calls answered, 0 failed"))
          << with.out << with.err;
      added_ms = worst_delay_ms(with.out) - worst_delay_ms(alone.out);
      if (added_ms <= 20) break;
    }
    expect(instrumented || added_ms <= 20) << "the program's timer was later by" << added_ms << "ms";
  };

  "a tool that does not exist is said, and the program ends in order"_test = [] {
    const both_demos demos;
    const auto ended = demos.at.run({demos.at.folder / "mcp.json", "3", "near__no_such_tool", "{}"}, example());
    expect(ended.code == 1_i && contains(ended.out, "0 calls answered, 3 failed: ") &&
           contains(ended.out, "no_such_tool"))
        << ended.out << ended.err;
  };
};

}  // namespace uv_embed_test

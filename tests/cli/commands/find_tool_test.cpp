// SPDX-License-Identifier: MIT
// A tool's name that nobody has: what is said, and who is started for it.
#include <boost/json.hpp>
#include <filesystem>
#include <string>

#include "../../../cli/commands/nearest_names.hpp"
#include "../../support/contains.hpp"
#include "../../support/fixture.hpp"
#include "../hawser_program.hpp"

namespace find_tool_test {

using namespace hawser::cli;
using hawser::testing::cli_fixture;
using hawser::testing::contains;
using hawser::testing::ended_program;
namespace json = boost::json;

std::string told(const ended_program& of) {
  return "code " + std::to_string(of.code) + "\nout: " + of.out + "\nerr: " + of.err;
}

// The demo server, and others that leave a file where they are started.
struct watched_servers {
  explicit watched_servers(const std::vector<std::string>& others) {
    json::object all{
        {"demo", json::object{{"command", hawser::testing::program("hawser")}, {"args", json::array{"demo-server"}}}}};
    for (const std::string& name : others) {
      const std::string leaves = ": > " + (work.folder / ("started-" + name)) + "; exit 3";
      all[name] = json::object{{"command", "/bin/sh"}, {"args", json::array{"-c", leaves}}, {"restart", "never"}};
    }
    work.write("mcp.json", json::serialize(json::object{{"mcpServers", std::move(all)}}));
  }
  [[nodiscard]] bool started(const std::string& name) const {
    return std::filesystem::exists(work.folder / ("started-" + name));
  }
  cli_fixture work{{}};
};

const suite<"find tool"> tests = [] {
  "CMD-5 a mistyped name is answered from memory, with the nearest names, and starts no other server"_test = [] {
    const watched_servers w{{"other"}};
    expect(w.work.run({"call", "demo__echo", "text=x"}).code == 0_i);
    for (const auto& [typed, meant] : {std::pair{"demo__ehco", "demo__echo"}, std::pair{"deno__echo", "demo__echo"},
                                       std::pair{"ehco", "demo__echo"}, std::pair{"echo", "demo__echo"}}) {
      const auto r = w.work.run({"call", typed});
      expect(r.code == 1_i && contains(r.err, "did you mean " + std::string{meant})) << told(r);
      expect(contains(r.err, "no tool is named \"" + std::string{typed} + '"') && r.out.empty()) << told(r);
    }
    expect(!w.started("other"));
    const auto far = w.work.run({"call", "quite_something_else"});
    expect(far.code == 1_i && !contains(far.err, "did you mean")) << told(far);
    expect(contains(far.err, "never listed so far: other")) << told(far);
    const auto each_server = w.work.run({"call", "--server", "demo", "ehco"});
    expect(each_server.code == 1_i && contains(each_server.err, "did you mean echo?")) << told(each_server);
    expect(!w.started("other")) << "it has nothing to do with any of these";
  };

  "CMD-5 beside the nearest names stands who could be asked again"_test = [] {
    const watched_servers w{{}};
    const auto fresh = w.work.run({"call", "demo__ehco"});
    expect(fresh.code == 1_i && contains(fresh.err, "did you mean demo__echo? hawser tools demo lists what it has\n"))
        << told(fresh);
    const auto known = w.work.run({"call", "demo__ehco"});
    expect(contains(known.err, "did you mean demo__echo? hawser tools demo asks that server again\n")) << told(known);
    const auto short_name = w.work.run({"call", "ehco"});
    expect(contains(short_name.err, "did you mean demo__echo? hawser tools lists all\n")) << told(short_name);
    const watched_servers more{{"other"}};
    expect(more.work.run({"call", "demo__echo", "text=x"}).code == 0_i);
    const auto unlisted = more.work.run({"call", "demo__ehco"});
    expect(contains(unlisted.err, "did you mean demo__echo? never listed so far: other (hawser tools lists them)\n"))
        << told(unlisted);
  };

  "CMD-5 a server that was never listed and could have the name is asked, and why it cannot be is the error"_test = [] {
    const watched_servers w{{"other", "third"}};
    const auto r = w.work.run({"call", "other__tool"});
    expect(r.code == 4_i && contains(r.err, "server \"other\"")) << told(r);
    expect(w.started("other") && !w.started("third")) << told(r);
    expect(!contains(r.err, "third")) << told(r);
    const auto nothing_known = w.work.run({"call", "demo__ehco"});
    expect(nothing_known.code == 1_i && contains(nothing_known.err, "did you mean demo__echo?")) << told(nothing_known);
    expect(!w.started("third"));
  };

  "CMD-5 the nearest of the other names are suggested, too"_test = [] {
    const cli_fixture w{{"demo", "old"}};
    const auto server = w.run({"get", "dmeo"});
    expect(server.code == 1_i && server.err == "hawser: no server is named \"dmeo\"; did you mean demo?\n")
        << told(server);
    const auto prompt = w.run({"prompt", "geet", "name=x"});
    expect(prompt.code == 1_i && contains(prompt.err, "did you mean greet?")) << told(prompt);
    const cli_fixture off{{"off"}};
    const auto disabled = off.run({"call", "off__echo"});
    expect(disabled.code == 1_i && contains(disabled.err, "server \"off\", which could have it, is disabled"))
        << told(disabled);
  };

  "CMD-5 the distance of names counts insertions, deletions, replacements and swaps"_test = [] {
    const std::vector<std::tuple<std::string, std::string, std::size_t>> cases{
        {"", "", 0},        {"a", "", 1},         {"", "ab", 2},       {"echo", "echo", 0},      {"ehco", "echo", 1},
        {"eco", "echo", 1}, {"eecho", "echo", 1}, {"acho", "echo", 1}, {"kitten", "sitting", 3}, {"abcd", "badc", 2}};
    for (const auto& [a, b, distance] : cases) {
      expect(edit_distance(a, b, 4) == distance) << a << b;
      expect(edit_distance(b, a, 4) == distance) << b << a;
      if (distance > 0) expect(edit_distance(a, b, distance - 1) == distance) << "bounded" << a << b;
    }
    expect(edit_distance("abcdefgh", "hgfedcba", 4) == 5_ul);
    nearest_names near{"add"};
    for (const char* one : {"adds", "ad", "odd", "add2", "something"}) near.consider(one);
    expect(near.best() == std::vector<std::string>{"ad", "add2", "adds"});
    expect(suggestion(near.best()) == "; did you mean ad, add2 or adds?" && suggestion({}).empty());
  };
};

}  // namespace find_tool_test

// SPDX-License-Identifier: MIT
// The commands by the real program against real demo servers.
#include <boost/json.hpp>
#include <filesystem>
#include <string>

#include "../../support/contains.hpp"
#include "../../support/fixture.hpp"
#include "../hawser_program.hpp"
#include "../pseudo_terminal.hpp"

namespace commands_test {

using hawser::testing::cli_fixture;
using hawser::testing::contains;
using hawser::testing::ended_program;
using hawser::testing::processes_with;
using hawser::testing::pseudo_terminal;
using hawser::testing::survivors;
namespace json = boost::json;

std::string told(const ended_program& of) {
  return "code " + std::to_string(of.code) + "\nout: " + of.out + "\nerr: " + of.err;
}

json::value document(const ended_program& of) {
  boost::system::error_code bad;
  json::value parsed = json::parse(of.out, bad);
  expect(!bad) << told(of);
  return parsed;
}

const suite<"commands"> tests = [] {
  "list shows what is configured and starts nothing"_test = [] {
    const cli_fixture w{{"demo", "off", "broken"}};
    const auto r = w.run({"list"});
    expect(r.code == 0_i) << told(r);
    expect(r.out.starts_with("NAME    STATE     TOOLS  TRANSPORT  TARGET\n")) << r.out;
    expect(contains(r.out, "demo    enabled   -      stdio"));
    expect(contains(r.out, "off     disabled"));
    expect(processes_with(w.token()).empty());
    expect(!std::filesystem::exists(w.folder / "cache"));
    const auto as_json = document(w.run({"list", "--json"}));
    expect(as_json.at("servers").as_array().size() == 3_u);
    expect(as_json.at("servers").at(0).at("name") == "demo");
    expect(as_json.at("servers").at(0).at("state") == "stopped");
  };

  "list shows what is remembered about the servers"_test = [] {
    const cli_fixture w{{"demo"}};
    expect(w.run({"tools"}).code == 0_i);
    const auto servers = document(w.run({"list", "--json"}));
    expect(servers.at("servers").at(0).at("tools") == 9) << json::serialize(servers);
    const auto unlisted = document(w.run({"list", "--json", "--no-cache"}));
    expect(!unlisted.at("servers").at(0).as_object().contains("tools")) << "unknown is not 0";
  };

  "without a configuration there is nothing to do"_test = [] {
    cli_fixture w{{}};
    w.environment = {"HAWSER_CONFIG="};
    const auto nothing = w.run({"list"});
    expect(nothing.code == 0_i) << told(nothing);
    expect(contains(nothing.err, "no server is configured"));
    const auto tools = w.run({"tools"});
    expect(tools.code == 3_i) << told(tools);
  };

  "tools of all servers stand in one table, or those of one"_test = [] {
    const cli_fixture w{{"demo", "old"}};
    const auto all = w.run({"tools"});
    expect(all.code == 0_i) << told(all);
    expect(contains(all.out, "demo__echo")) << all.out;
    expect(contains(all.out, "old__echo"));
    expect(contains(all.out, "Gives its text back."));
    const auto one = document(w.run({"tools", "old", "--json"}));
    expect(one.at("tools").as_array().size() == 9_u);
    expect(one.at("tools").at(0).at("name") == "old__add");
    expect(one.at("tools").at(0).at("definition").at("inputSchema").at("type") == "object");
    const auto nobody = w.run({"tools", "nobody"});
    expect(nobody.code == 1_i) << told(nobody);
    expect(nobody.err == "hawser: no server is named \"nobody\"\n") << nobody.err;
    expect(survivors(w.token(), 5000).empty());
  };

  "a server that cannot be started does not stop the others"_test = [] {
    const cli_fixture w{{"broken", "demo"}};
    const auto r = w.run({"tools"});
    expect(r.code == 4_i) << told(r);
    expect(contains(r.out, "demo__echo"));
    expect(contains(r.err, "broken") && contains(r.err, "/nonexistent/program")) << r.err;
    expect(w.run({"call", "demo__echo", "text=x"}).code == 0_i);
  };

  "FRZ-7 tools prints those of the other servers when one is slower than --timeout"_test = [] {
    const cli_fixture w{{"mute", "demo"}};
    const auto r = w.run({"tools", "--timeout", "4"});
    expect(r.code == 5_i) << told(r);
    expect(contains(r.out, "demo__echo")) << told(r);
    expect(contains(r.err, "server \"mute\": ") and contains(r.err, " within the 4.0 s of --timeout")) << told(r);
    expect(survivors(w.token(), 5000).empty());
  };

  "CMD-4 resources and prompts print those of the other servers when one is slower than --timeout"_test = [] {
    const cli_fixture w{{"mute", "demo"}};
    for (const char* command : {"resources", "prompts"}) {
      const auto r = w.run({command, "--timeout", "4"});
      expect(r.code == 5_i) << told(r);
      expect(contains(r.out, "demo") and not contains(r.err, "server \"demo\"")) << told(r);
      expect(contains(r.err, "server \"mute\": ") and contains(r.err, " within the 4.0 s of --timeout")) << told(r);
      expect(r.err.find("server \"mute\": ") == r.err.rfind("server \"mute\": ")) << told(r);
    }
    expect(survivors(w.token(), 5000).empty());
  };

  "get shows the name and version of a server"_test = [] {
    const cli_fixture w{{"demo", "old", "off", "broken"}};
    const auto r = w.run({"get", "demo"});
    expect(r.code == 0_i) << told(r);
    expect(contains(r.out, "state         ready")) << r.out;
    expect(contains(r.out, "revision      2026-07-28"));
    expect(contains(r.out, "A server to try a client with."));
    const auto old = document(w.run({"get", "old", "--json"}));
    expect(old.at("revision") == "2025-11-25") << json::serialize(old);
    expect(old.at("capabilities").as_object().contains("tools"));
    const auto off = w.run({"get", "off"});
    expect(off.code == 0_i && contains(off.out, "disabled")) << told(off);
    const auto broken = w.run({"get", "broken"});
    expect(broken.code == 4_i) << told(broken);
    expect(contains(broken.err, "/nonexistent/program"));
  };

  "resources, templates and prompts are listed"_test = [] {
    const cli_fixture w{{"demo"}};
    const auto resources = w.run({"resources"});
    expect(resources.code == 0_i) << told(resources);
    expect(contains(resources.out, "demo://text"));
    expect(contains(resources.out, "demo://greeting/{name}"));
    const auto as_json = document(w.run({"resources", "demo", "--json"}));
    expect(as_json.at("resources").as_array().size() == 3_u);
    expect(as_json.at("templates").at(0).at("server") == "demo");
    const auto prompts = w.run({"prompts"});
    expect(contains(prompts.out, "greet   demo    name, style?  Greets somebody")) << told(prompts);
    expect(document(w.run({"prompts", "--json"})).at("prompts").at(0).at("definition").at("name") == "greet");
  };

  "a resource is read from the server that lists it, or the one that is named"_test = [] {
    const cli_fixture w{{"demo", "old"}};
    const auto both = w.run({"read", "demo://text"});
    expect(both.code == 1_i && contains(both.err, "more than one server")) << told(both);
    const auto text = w.run({"read", "demo://text", "--server", "old"});
    expect(text.code == 0_i && text.out == "A hawser is a thick rope.\n") << told(text);
    const auto picture = w.run({"read", "demo://binary", "--server", "demo"});
    expect(picture.out.starts_with("\x89PNG")) << "a file gets the bytes" << told(picture);
    expect(w.run({"read", "--raw", "demo://binary", "--server", "demo"}).out == picture.out);
    const auto by_template = w.run({"read", "demo://greeting/Ada", "--server", "demo", "--json"});
    expect(document(by_template).at("contents").at(0).at("text") == "Hello, Ada!") << told(by_template);
    const auto none = w.run({"read", "demo://none", "--server", "demo"});
    expect(none.code == 6_i) << told(none);
  };

  "a prompt is filled in, and its arguments completed"_test = [] {
    const cli_fixture w{{"demo"}};
    const auto r = w.run({"prompt", "greet", "name=Ada", "style=brief"});
    expect(r.code == 0_i && r.out == "user:\nPlease greet Ada in a brief way.\n") << told(r);
    expect(w.run({"prompt", "greet"}).code == 6_i) << "an argument is missing, says the server";
    expect(w.run({"prompt", "greet", "name"}).code == 2_i);
    expect(w.run({"prompt", "nothing"}).code == 1_i);
    const auto names = w.run({"complete", "--prompt", "greet", "name=A"});
    expect(names.code == 0_i && names.out == "Ada\nAlan\n") << told(names);
    const auto styles = document(w.run({"complete", "--prompt", "greet", "style=f", "name=Ada", "--json"}));
    expect(styles.at("completion").at("values").as_array().size() == 2_u);
    expect(w.run({"complete", "name=A"}).code == 2_i) << "of what?";
  };

  "SEC-7 run prints its errors escaped"_test = [] {
    const cli_fixture w{{}};
    const auto r = w.run({"run", "--", "no-such-\x1b[31m-program"});
    expect(r.code != 0_i && contains(r.err, "no-such-\\u{1b}[31m-program") && !contains(r.err, "\x1b")) << told(r);
  };

  "CMD-3 logs writes what a server writes to stderr, as it is to a file and escaped to a terminal"_test = [] {
    const cli_fixture w{{"noisy"}};
    const auto r = w.run({"logs", "noisy"});
    expect(r.code == 0_i && r.out == "first words\n\x1b[2J\n") << told(r);
    const pseudo_terminal pty{80};
    const auto p = w.start({"logs", "noisy"}, {.terminal = pty.user});
    expect(p->wait().code == 0_i);
    const std::string shown = pty.text("[2J\r\n");
    expect(contains(shown, "\\u{1b}[2J\r\n")) << shown;
    const auto as_json = w.run({"logs", "noisy", "--json"});
    expect(as_json.out == "{\"line\":\"first words\"}\n{\"line\":\"\\u001b[2J\"}\n") << as_json.out;
  };

  "G01 what is wrong with a configuration is said with its place, and the good entries work"_test = [] {
    const cli_fixture w{{"demo"}};
    w.write("bad.json",
            "{\n \"mcpServers\": {\n  \"x\": {\"command\": 7},\n  \"off\": {\"command\": \"a\", \"enabled\": false}\n "
            "}\n}");
    const auto r = w.run({"list", "--config", w.folder / "bad.json"});
    expect(r.code == 3_i) << told(r);
    expect(contains(r.err, "bad.json:3:")) << r.err;
    expect(contains(r.out, "off"));
    w.write("worse.json", "{\n nonsense");
    const auto worse = w.run({"list", "--config", w.folder / "worse.json"});
    expect(worse.code == 3_i && contains(worse.err, "worse.json:2:")) << told(worse);
    const auto missing = w.run({"list", "--config", w.folder / "none.json"});
    expect(missing.code == 3_i && contains(missing.err, "none.json: No such file")) << told(missing);
  };

  "a command line that cannot be understood is an error of its own"_test = [] {
    const cli_fixture w{{}};
    for (const auto& words : std::vector<std::vector<std::string>>{{},
                                                                   {"nothing"},
                                                                   {"list", "--nothing"},
                                                                   {"call"},
                                                                   {"tools", "--timeout", "soon"},
                                                                   {"tools", "--timeout", "-1"}}) {
      const auto r = w.run(words);
      expect(r.code == 2_i) << told(r);
      expect(r.err.starts_with("hawser: ")) << r.err;
      expect(r.out.empty());
    }
    const auto help = w.run({"call", "--help"});
    expect(help.code == 0_i && contains(help.out, "Examples: hawser call")) << told(help);
    expect(contains(w.run({"--help"}).out, "  141  nobody reads the output any more"));
  };
};

}  // namespace commands_test

// SPDX-License-Identifier: MIT
// How the real program reads its command line, and what it does where its descriptors are missing or cannot be written.
#include "../../cli/command_line.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <string>

#include "../support/contains.hpp"
#include "../support/fixture.hpp"
#include "hawser_program.hpp"

namespace command_line_test {

using hawser::testing::cli_fixture;
using hawser::testing::contains;
using hawser::testing::ended_program;
namespace json = boost::json;

std::string told(const ended_program& of) {
  return "code " + std::to_string(of.code) + "\nout: " + of.out + "\nerr: " + of.err;
}

struct full_device {
  int descriptor = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ~full_device() { close(descriptor); }
};

const suite<"command line"> tests = [] {
  "CMD-1 a closed stdout is an error of every command"_test = [] {
    const cli_fixture w{{"demo"}};
    using words = std::vector<std::string>;
    for (const words& one : {words{"list"}, words{"list", "--json"}, words{"tools"}, words{"get", "demo"},
                             words{"call", "demo__echo", "text=x"}, words{"--help"}, words{"version"}, words{"watch"},
                             words{"demo-server", "--http"}}) {
      const auto r = w.run(one, {.closed = {1}});
      expect(r.code == 8_i) << one.front() << told(r);
      expect(contains(r.err, "the output cannot be written: Bad file descriptor")) << one.front() << told(r);
    }
  };

  "CMD-1 commands work without stdin and stderr, and without all three they end"_test = [] {
    const cli_fixture w{{"demo"}};
    const auto r = w.run({"call", "demo__echo", "text=x"}, {.closed = {0, 2}});
    expect(r.code == 0_i && r.out == "x\n") << told(r);
    const auto none = w.run({"call", "demo__echo", "text=x"}, {.closed = {0, 1, 2}});
    expect(none.code == 8_i && none.out.empty() && none.err.empty()) << told(none);
    const auto unread = w.run({"call", "demo__echo", "-"}, {.closed = {0}});
    expect(unread.code == 2_i && contains(unread.err, "stdin: Bad file descriptor")) << told(unread);
  };

  "CMD-1 a program that is run does not get a descriptor of ours instead of a closed one"_test = [] {
    const cli_fixture w{{}};
    const auto r =
        w.run({"run", "--", "/bin/sh", "-c", "x=$(readlink /proc/$$/fd/1); echo \"$x\" >&2; echo x"}, {.closed = {1}});
    expect(r.code != 0_i && contains(r.err, "/dev/null\n")) << told(r);
  };

  "CMD-1 CMD-3 an output that cannot be written is an error, and said once"_test = [] {
    const cli_fixture w{{"demo"}};
    const full_device full;
    using words = std::vector<std::string>;
    for (const words& one :
         {words{"list"}, words{"call", "demo__echo", "text=x"}, words{"call", "--raw", "demo__echo", "text=x"},
          words{"read", "demo://text"}, words{"help"}, words{"--version"}, words{"watch"}}) {
      const auto r = w.run(one, {.out = full.descriptor});
      expect(r.code == 8_i) << one.front() << told(r);
      expect(r.err == "hawser: the output cannot be written: No space left on device\n") << one.front() << told(r);
    }
  };

  "CMD-2 words behind -- reach the program that is run byte for byte"_test = [] {
    const cli_fixture w{{}};
    std::string every;
    for (int c = 1; c < 256; ++c) every += static_cast<char>(c);
    const std::vector<std::string> given{"[a,b]", "[]",        "{}",  "%%",   "",   "a b", "--json", "--",
                                         "-x",    "[[1],[2]]", "'q'", "list", "\"", "\\",  every};
    std::string wanted;
    for (const std::string& one : given) wanted.append(one).append("|");
    for (const bool marked : {true, false}) {
      std::vector<std::string> words{"run"};
      if (marked) words.emplace_back("--");
      words.insert(words.end(), {"/bin/sh", "-c", "for i; do printf '%s|' \"$i\"; done", "sh"});
      words.insert(words.end(), given.begin(), given.end());
      const auto r = w.run(words);
      expect(r.code == 0_i && r.out == wanted) << told(r);
    }
    const auto empty = w.run({"run", "--", "/bin/echo", "{}"});
    expect(empty.out == "{}\n") << told(empty);
  };

  "CMD-2 CMD-10 options of run stand before its command"_test = [] {
    const cli_fixture w{{}};
    const auto r = w.run({"run", "-C", "/", "--grace=1", "/bin/sh", "-c", "pwd; echo \"$@\"", "sh", "-C", "/tmp"});
    expect(r.code == 0_i && r.out == "/\n-C /tmp\n") << told(r);
    const auto none = w.run({"run", "--"});
    expect(none.code == 2_i && contains(none.err, "the program to run is missing")) << told(none);
  };

  "CMD-2 arguments of call, prompt and complete are not changed either"_test = [] {
    const cli_fixture w{{"demo"}};
    const auto marked = w.run({"call", "demo__echo", "--", "text=--json"});
    expect(marked.code == 0_i && marked.out == "--json\n") << told(marked);
    const auto list = w.run({"prompt", "greet", "[name=Ada,style=brief]"});
    expect(list.code == 6_i && list.out.empty()) << "one argument, which is not \"name\"" << told(list);
    const auto braces = w.run({"prompt", "greet", "{}"});
    expect(braces.code == 2_i && contains(braces.err, "{}")) << told(braces);
    const auto between = w.run({"call", "--json", "demo__echo", "--timeout", "20", "text=x", "-q"});
    expect(between.code == 0_i && contains(between.out, "\"x\"")) << told(between);
  };

  "CMD-10 common options stand before the command, too"_test = [] {
    cli_fixture w{{"demo"}};
    w.environment = {"HAWSER_CONFIG="};
    const std::string config = w.folder / "mcp.json";
    const auto before = w.run({"--config", config, "--json", "--timeout=20", "list"});
    expect(before.code == 0_i && contains(before.out, "{\"servers\":[{\"name\":\"demo\"")) << told(before);
    const auto both = w.run({"--config", "/nonexistent", "list", "--config", config});
    expect(both.code == 0_i && contains(both.out, "demo")) << "the one behind counts" << told(both);
    const auto verbose = w.run({"-v", "--config", config, "call", "demo__echo", "text=x"});
    expect(verbose.out == "x\n" && contains(verbose.err, "\"tools/call\"")) << told(verbose);
    const auto misplaced = w.run({"--config", config, "run", "--", "true"});
    expect(misplaced.code == 2_i && contains(misplaced.err, "run has no common option --config")) << told(misplaced);
  };

  "CMD-10 help and version are commands"_test = [] {
    const cli_fixture w{{}};
    expect(w.run({"help"}).out == w.run({"--help"}).out);
    expect(w.run({"help", "call"}).out == w.run({"call", "--help"}).out);
    expect(w.run({"help", "login"}).out == w.run({"auth", "--help"}).out);
    const auto help = w.run({"help", "call"});
    expect(help.code == 0_i && contains(help.out, "Examples: hawser call") && contains(help.out, "arguments"))
        << told(help);
    const auto version = w.run({"version"});
    expect(version.code == 0_i && version.out.starts_with("hawser ") && version.out == w.run({"--version"}).out);
    for (const auto& words :
         std::vector<std::vector<std::string>>{{"version", "--json"}, {"--json", "version"}, {"--version", "--json"}}) {
      const auto as_json = w.run(words);
      boost::system::error_code bad;
      const json::value document = json::parse(as_json.out, bad);
      expect(fatal(!bad && as_json.code == 0_i)) << told(as_json);
      const std::string text = "hawser " + std::string{document.at("version").as_string()} + " (" +
                               std::string{document.at("commit").as_string()} + ")\n";
      expect(text == version.out) << told(as_json);
    }
    const auto strange = w.run({"version", "--frobnicate"});
    expect(strange.code == 2_i && contains(strange.err, "--frobnicate")) << told(strange);
    expect(w.run({"version", "--help"}).code == 0_i);
    const auto unknown = w.run({"help", "tool"});
    expect(unknown.code == 2_i && contains(unknown.err, "did you mean tools?")) << told(unknown);
  };

  "CMD-10 a mistyped command or option is answered with what was meant"_test = [] {
    const cli_fixture w{{}};
    for (const auto& [typed, meant] :
         {std::pair{"tool", "tools"}, std::pair{"lst", "list"}, std::pair{"prmpt", "prompt"},
          std::pair{"res", "resources"}, std::pair{"cal", "call"}, std::pair{"wacth", "watch"}}) {
      const auto r = w.run({"-q", typed, "x"});
      expect(r.code == 2_i && r.out.empty()) << told(r);
      expect(contains(r.err, std::string{"hawser: there is no command \""} + typed + "\"; did you mean " + meant + "?"))
          << told(r);
    }
    const auto strange = w.run({"xyzzy"});
    expect(strange.code == 2_i &&
           strange.err == "hawser: there is no command \"xyzzy\"; hawser help says what there is\n")
        << told(strange);
    const auto early = w.run({"--confg", "x", "tools"});
    expect(early.code == 2_i && contains(early.err, "there is no common option \"--confg\"; did you mean --config?"))
        << told(early);
    const auto alone = w.run({"--frobnicate=3"});
    expect(alone.code == 2_i && contains(alone.err, "there is no common option \"--frobnicate\"")) << told(alone);
    const auto own = w.run({"--raw", "call", "x"});
    expect(own.code == 2_i && contains(own.err, "\"--raw\" stands behind its command: hawser call --raw")) << told(own);
    const auto as_json = w.run({"nothing", "--json"});
    expect(as_json.code == 2_i && contains(as_json.out, "{\"error\":{\"message\":\"there is no command"))
        << told(as_json);
    const auto option = w.run({"list", "--jsn"});
    expect(option.code == 2_i && contains(option.err, "did you mean --json?")) << told(option);
    const auto nothing = w.run({});
    expect(nothing.code == 2_i && contains(nothing.err, "a command is missing")) << told(nothing);
  };

  "CMD-10 -q suppresses notices and warnings, never results and errors"_test = [] {
    const cli_fixture w{{"demo"}};
    const auto quiet = w.run({"call", "-q", "demo__ask"});
    expect(quiet.code == 0_i && quiet.err.empty() && contains(quiet.out, "You would rather not say.")) << told(quiet);
    const auto wrong = w.run({"-q", "call", "demo__nothing"});
    expect(wrong.code == 1_i && contains(wrong.err, "demo__nothing")) << told(wrong);
  };
};

}  // namespace command_line_test

// SPDX-License-Identifier: MIT
// Commands that go on until somebody ends them.
#include <signal.h>

#include <string>
#include <thread>

#include "../../../cli/commands/text_tail.hpp"
#include "../../support/contains.hpp"
#include "../../support/fixture.hpp"
#include "../hawser_program.hpp"
#include "../pseudo_terminal.hpp"

namespace watch_test {

using hawser::testing::cli_fixture;
using hawser::testing::contains;
using hawser::testing::pseudo_terminal;
using hawser::testing::survivors;

const suite<"watch"> tests = [] {
  "watch prints one line per change of servers and tools until Ctrl-C"_test = [] {
    const cli_fixture w{{"demo", "broken"}};
    const auto p = w.start({"watch"});
    expect(p->says("demo: ready, 9 tools")) << p->out() << p->err();
    expect(p->says("+ demo__echo\n"));
    expect(p->says("broken: ")) << p->out();
    p->signal(SIGINT);
    const auto r = p->wait();
    expect(r.code == 0_i) << r.err;
    expect(survivors(w.token(), 5000).empty());
  };

  "watch draws a table on a terminal"_test = [] {
    const cli_fixture w{{"demo"}};
    const pseudo_terminal pty{80};
    const auto p = w.start({"watch"}, {.terminal = pty.user});
    std::string shown;
    for (int i = 0; i < 4'000 && !contains(shown, "demo  ready  9"); ++i) {
      shown += pty.text();
      std::this_thread::sleep_for(std::chrono::milliseconds{5});  // another process draws
    }
    expect(contains(shown, "demo  ready  9")) << shown;
    expect(contains(shown, "\x1b[H\x1b[2J"));
    p->signal(SIGINT);
    expect(p->wait().code == 0_i);
  };

  "logs can be followed"_test = [] {
    const cli_fixture w{{"noisy"}};
    const auto p = w.start({"logs", "-f", "noisy"});
    expect(p->says("first words")) << p->err();
    p->signal(SIGTERM);
    expect(p->wait().code == 143_i);
    expect(survivors(w.token(), 5000).empty());
  };

  "the new part of a ring buffer is found"_test = [] {
    using hawser::cli::appended_text;
    using hawser::cli::whole_lines;
    expect(appended_text("", "abc") == "abc");
    expect(appended_text("abc", "abcdef") == "def");
    expect(appended_text("abc", "abc").empty());
    const std::string seen = std::string(300, 'x') + "the end";
    expect(appended_text(seen, seen.substr(50) + "more") == "more");
    expect(appended_text(seen, "something else") == "something else");
    expect(whole_lines("a\nb\nc") == "a\nb\n");
    expect(whole_lines("abc").empty());
  };
};

}  // namespace watch_test

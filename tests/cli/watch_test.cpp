// SPDX-License-Identifier: MIT
// Commands that go on until somebody ends them.
#include <signal.h>

#include <string>
#include <thread>

#include "../../cli/text_tail.hpp"
#include "../support/contains.hpp"
#include "../support/fixture.hpp"
#include "hawser_program.hpp"
#include "pseudo_terminal.hpp"

namespace watch_test {

using hawser::testing::contains;
using hawser::testing::pseudo_terminal;
using hawser::testing::survivors;
using hawser::testing::workshop;

const suite<"watch"> tests = [] {
  "watch tells of servers and tools, a line each, until Ctrl-C"_test = [] {
    const workshop w{{"demo", "broken"}};
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
    const workshop w{{"demo"}};
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
    const workshop w{{"noisy"}};
    const auto p = w.start({"logs", "-f", "noisy"});
    expect(p->says("first words")) << p->err();
    p->signal(SIGTERM);
    expect(p->wait().code == 143_i);
    expect(survivors(w.token(), 5000).empty());
  };

  "what is new in a text that forgets its beginning"_test = [] {
    using hawser::cli::news_in;
    using hawser::cli::whole_lines;
    expect(news_in("", "abc") == "abc");
    expect(news_in("abc", "abcdef") == "def");
    expect(news_in("abc", "abc").empty());
    const std::string seen = std::string(300, 'x') + "the end";
    expect(news_in(seen, seen.substr(50) + "more") == "more");
    expect(news_in(seen, "something else") == "something else");
    expect(whole_lines("a\nb\nc") == "a\nb\n");
    expect(whole_lines("abc").empty());
  };
};

}  // namespace watch_test

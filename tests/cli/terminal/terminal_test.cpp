// SPDX-License-Identifier: MIT
#include "../../../cli/terminal/terminal.hpp"

#include "../../../runtime/async/sleep.hpp"
#include "../../support/manual_clock.hpp"
#include "../../support/run.hpp"
#include "../pseudo_terminal.hpp"

namespace terminal_test {

using namespace hawser;
using namespace hawser::cli;
using namespace std::chrono_literals;
using testing::manual_clock;
using testing::pseudo_terminal;
using testing::run;

task<void> pass(duration time) { ignore(co_await sleep_for(time), "nobody stops this task"); }

task<void> progress_of(const pseudo_terminal& pty, terminal& at) {
  progress_line p{*(co_await this_context()).loop, at};
  p.show(safe_text{"starting"});
  co_await pass(250ms);
  expect(pty.text().empty()) << "what is over in a moment is not worth a word";
  co_await pass(100ms);
  expect(pty.shows("\r\x1b[Kstarting"));
  p.show(safe_text{"calling"});
  p.show(safe_text{"calling for long"});
  co_await pass(200ms);
  expect(pty.shows("\r\x1b[Kcalling for long")) << "drawn once, however often it changes";
  p.hold(true);
  p.show(safe_text{"hidden"});
  co_await pass(1s);
  expect(pty.shows("\r\x1b[K")) << "not while somebody is asked";
  p.hold(false);
  co_await pass(200ms);
  expect(pty.shows("\r\x1b[Khidden"));
  p.end();
  co_await pass(1s);
  expect(pty.shows("\r\x1b[K"));
}

task<void> progress_without_terminal(int reader, terminal& at) {
  progress_line p{*(co_await this_context()).loop, at};
  p.show(safe_text{"starting"});
  co_await pass(1s);
  char byte = 0;
  expect(read(reader, &byte, 1) < 0) << "nothing in a pipe";
}

const suite<"terminal"> tests = [] {
  "progress appears after a moment and leaves no trace"_test = [] {
    const pseudo_terminal pty{80};
    terminal at{{.in = pty.user, .out = pty.user, .err = pty.user}};
    manual_clock clock;
    run(clock, progress_of(pty, at));
  };

  "progress is shown on terminals only"_test = [] {
    int ends[2];
    expect(fatal(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0));
    {
      terminal at{{.in = ends[0], .out = ends[1], .err = ends[1]}};
      expect(!at.interactive());
      manual_clock clock;
      run(clock, progress_without_terminal(ends[0], at));
    }
    close(ends[0]);
    close(ends[1]);
  };

  "G13 progress fits a terminal of one column"_test = [] {
    const pseudo_terminal pty{1};
    status_line status{pty.user};
    status.draw(escaped("text").fitted(1));
    expect(pty.shows("\r\x1b[K."));
  };
};

}  // namespace terminal_test

// SPDX-License-Identifier: MIT
#include "../../../cli/terminal/output.hpp"

#include <fcntl.h>

#include <array>
#include <cstdlib>

#include "../../../cli/terminal/table.hpp"
#include "../../../runtime/async/scope.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../../runtime/async/timeout.hpp"
#include "../../support/manual_clock.hpp"
#include "../../support/run.hpp"
#include "../../support/ut.hpp"
#include "../captured_output.hpp"
#include "../pseudo_terminal.hpp"

namespace output_test {

using namespace hawser;
using namespace hawser::cli;
using namespace std::chrono_literals;
using testing::captured_output;
using testing::manual_clock;
using testing::pseudo_terminal;
using testing::run;

struct pipe_ends {
  pipe_ends() { expect(pipe2(ends.data(), O_CLOEXEC) == 0); }
  ~pipe_ends() {
    for (const int end : ends) close(end);
  }
  void close_reader() {
    close(ends[0]);
    ends[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
  }
  std::array<int, 2> ends{};
};

task<result<void>> flushed(output& out) { co_return co_await out.flush(); }

task<void> read_slowly(int from, std::size_t& total) {
  std::array<char, 65536> room{};
  while (total < 300'000) {
    ignore(co_await sleep_for(1ms), "nobody stops this task");
    const ssize_t count = read(from, room.data(), room.size());
    total += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
}

task<std::size_t> through_a_slow_pipe(pipe_ends& pipe, output& out) {
  std::size_t total = 0;
  fcntl(pipe.ends[0], F_SETFL, O_NONBLOCK);
  scope s{co_await this_context()};
  s.spawn(read_slowly(pipe.ends[0], total));
  const auto done = co_await out.flush();
  expect(done.has_value());
  co_await s.join();
  co_return total;
}

task<result<void>> impatient(output& out) { co_return co_await with_timeout(20ms, flushed(out)); }

const suite<"output"> tests = [] {
  "lines are made of pieces"_test = [] {
    captured_output c;
    c.out.line({"server ", styled(text_style::red, escaped("a\x1b")), ": ", decimal(3)});
    c.out.line("done");
    expect(c.text() == "server a\\u{1b}: 3\ndone\n") << "no colours in a file";
    expect(!c.out.width().has_value());
  };

  "colours only at a terminal that knows them, and never against NO_COLOR"_test = [] {
    expect(wants_colours(true, nullptr, "xterm"));
    expect(wants_colours(true, "", "xterm"));
    expect(!wants_colours(false, nullptr, "xterm"));
    expect(!wants_colours(true, "1", "xterm"));
    expect(!wants_colours(true, nullptr, "dumb"));
    expect(!wants_colours(true, nullptr, nullptr));
  };

  "G10 a reader that is gone is an error, once and for all"_test = [] {
    pipe_ends pipe;
    output out{pipe.ends[1]};
    pipe.close_reader();
    out.line("nobody reads this");
    const auto r = run(flushed(out));
    expect(fatal(r.has_error()));
    expect(r.error().code == errc::closed);
    expect(out.broken());
    out.line("nor this");
    expect(run(flushed(out)).has_error());
  };

  "a slow reader gets everything and blocks nobody"_test = [] {
    pipe_ends pipe;
    output out{pipe.ends[1]};
    const safe_text text = safe_text{"0123456789"}.repeated(30'000);
    out.print({text});
    manual_clock clock;
    expect(run(clock, through_a_slow_pipe(pipe, out)) == 300'000_u);
  };

  "a stop ends the wait for somebody who does not read"_test = [] {
    pipe_ends pipe;
    output out{pipe.ends[1]};
    out.print({safe_text{"0123456789"}.repeated(30'000)});
    manual_clock clock;
    const auto r = run(clock, impatient(out));
    expect(fatal(r.has_error()));
    expect(r.error().code == errc::timed_out);
  };

  "exact bytes go to files and never to a terminal"_test = [] {
    captured_output c;
    expect(c.out.write_raw("\x1b[2J").has_value());
    expect(c.text() == "\x1b[2J");
    const pseudo_terminal terminal{80};
    output out{terminal.user};
    expect(out.write_raw("\x1b[2J").has_error());
    out.line("ok");
    out.write_available();
    expect(terminal.shows("ok\r\n"));
  };

  "G13 a table fits every width"_test = [] {
    for (const unsigned short width : {1, 2, 9, 10, 11, 200}) {
      const pseudo_terminal terminal{width};
      output out{terminal.user};
      expect(out.width() == std::optional<std::size_t>{width});
      table t{"NAME", "TEXT"};
      t.add({{escaped("long name")}, {escaped("and a long text behind it")}});
      t.print_to(out);
      out.write_available();
      const std::string text = terminal.text("\n");
      const bool whole = text.find("behind it") != std::string::npos;
      expect(whole == (width == 200)) << text;
    }
  };

  "columns are aligned by what is seen"_test = [] {
    captured_output c;
    table t{"NAME", "N", "TEXT"};
    t.add({{escaped("漢字")}, {decimal(1)}, {escaped("x")}});
    t.add({{escaped("abcdef"), text_style::green}, {decimal(23)}, {escaped("y\n")}});
    expect(!t.empty());
    t.print_to(c.out);
    expect(c.text() ==
           "NAME    N   TEXT\n"
           "漢字    1   x\n"
           "abcdef  23  y\\u{a}\n")
        << c.text();
  };

  "a status line is erased before anything else is written"_test = [] {
    const pseudo_terminal terminal{80};
    status_line status{terminal.user};
    output out{terminal.user, output::buffering::line, &status};
    status.draw(escaped("waiting"));
    out.line("result");
    expect(terminal.shows("\r\x1b[Kwaiting\r\x1b[Kresult\r\n"));
    expect(!status.drawn());
  };
};

}  // namespace output_test

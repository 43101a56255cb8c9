// SPDX-License-Identifier: MIT
#include "../../transports/stdio_channel.hpp"

#include <csignal>
#include <optional>
#include <thread>

#include "../../runtime/sleep.hpp"
#include "../../runtime/timeout.hpp"
#include "../../transports/json_text.hpp"
#include "../../transports/peer.hpp"
#include "../support/counted.hpp"
#include "../support/every_step.hpp"
#include "../support/fixture.hpp"
#include "../support/run.hpp"
#include "../support/ut.hpp"

namespace {

using namespace hawser;
using namespace std::chrono_literals;
using testing::counted;
using testing::fixture;
using testing::new_token;
using testing::survivors;

// A server that is a few lines of shell: it answers a request line with what the script prints. $id is the id of the
// request that was read last.
command script(const std::string& text) {
  const std::string prelude =
      "request() { IFS= read -r line || exit 0; id=${line##*\\\"id\\\":}; id=${id%\\}}; }\n"
      "answer() { printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\\n' \"$id\" \"$1\"; }\n";
  return {.program = "/bin/sh", .arguments = {"-c", prelude + text}};
}

class watching final : public peer_listener {
 public:
  void on_notification(std::string_view method, std::string_view /*params*/) override { heard.emplace_back(method); }
  void on_closed(const error& e) override {
    why.push_back(e);
    closed.set();
  }
  std::vector<std::string> heard;
  std::vector<error> why;
  event closed;
};

const prepared_request echo = prepared_request::tool_call("echo");
const call_options patient{.idle_timeout = 10s};

struct outcome {
  int ends = 0;
  std::string text;
  std::optional<error> failure;
};

task<void> call_into(peer& to, outcome& into, std::string argument) {
  const counted alive;
  auto answer = co_await to.call(echo, argument, patient);
  ++into.ends;
  if (answer) {
    into.text = answer->text();
  } else {
    into.failure = answer.error();
  }
}

task<outcome> call(peer& to, std::string argument = R"({"a":1})") {
  outcome got;
  co_await call_into(to, got, std::move(argument));
  co_return got;
}

task<result<void>> wait_for(event& e) { co_return co_await e.wait(); }

// A server, its channel and a peer on it.
struct house {
  house(loop& l, keeper& k, stdio_options options) : wire(k, std::move(options)), side(l, wire, heard) {}
  watching heard;
  stdio_channel wire;
  peer side;
};

using body = task<void> (*)(house&);

task<void> in_house(loop& l, stdio_options options, body inside) {
  keeper k{l};
  {
    house h{l, k, std::move(options)};
    auto opened = co_await h.wire.open(h.side);
    expect(opened.has_value()) << (opened ? "" : opened.error().what);
    if (opened) co_await inside(h);
    auto closed = co_await h.wire.close();
    expect(closed.has_value()) << (closed ? "" : closed.error().what);
    expect(h.side.pending() == 0_ul && h.heard.why.size() <= 1_ul);
  }
  auto ended = co_await k.close();
  expect(ended.has_value());
}

void with_server(stdio_options options, body inside) {
  options.ladder = {.after_stdin = 200ms, .after_sigterm = 200ms, .after_sigkill = 2s};
  loop l;
  l.run(in_house(l, std::move(options), inside));
}
void with_script(const std::string& text, body inside) { with_server({.what = script(text)}, inside); }

task<error> how_it_ended(house& h) {
  auto closed = co_await with_timeout(5s, wait_for(h.heard.closed));
  expect(closed.has_value());
  if (h.heard.why.empty()) co_return error{.code = errc::timed_out, .what = "it did not end"};
  co_return h.heard.why.front();
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

task<void> one_call(house& h) {
  const outcome got = co_await call(h.side);
  expect(got.text == R"({"ok":true})") << got.text << (got.failure ? got.failure->what : "");
}

task<void> call_fails_closed(house& h) {
  const outcome got = co_await call(h.side);
  expect(got.failure.has_value() && got.failure->code == errc::closed && got.failure->executed == execution::unknown);
}

task<void> exits_at_once(house& h) {
  const time_point begin = steady_clock{}.now();
  const error why = co_await how_it_ended(h);
  expect(why.code == errc::closed && contains(why.what, "exited with 0")) << why.what;
  expect(contains(why.what, "no config found")) << why.what;
  expect(steady_clock{}.now() - begin < 3s);
  const outcome late = co_await call(h.side);
  expect(late.failure.has_value() && late.failure->code == errc::closed && late.failure->executed == execution::no);
}

task<void> long_last_words(house& h) {
  const error why = co_await how_it_ended(h);
  expect(contains(why.what, "exited with 1")) << why.what;
  expect(h.wire.errors().size() == 16'384_ul);
  expect(h.wire.errors().ends_with("the end\n"));
  expect(!contains(why.what, "\x1b") && contains(why.what, "\\u001b[31mthe end")) << why.what;
}

task<void> killed_with_calls(house& h) {
  scope calls{co_await this_context()};
  std::vector<outcome> got(100);
  for (outcome& o : got) calls.spawn(call_into(h.side, o, "{}"));
  auto sent = co_await h.wire.drained();
  expect(sent.has_value());
  auto slept = co_await sleep_for(20ms);
  expect(slept.has_value());
  const time_point begin = steady_clock{}.now();
  kill(h.wire.pid(), SIGKILL);
  co_await calls.join();
  expect(steady_clock{}.now() - begin < 1s);
  for (const outcome& o : got) {
    expect(o.ends == 1_i && o.failure.has_value() && o.failure->executed == execution::unknown);
    expect(contains(o.failure->what, "signal 9")) << o.failure->what;
  }
}

// More than a pipe holds: some requests never leave, and only of those it is certain that they were not executed.
task<void> unsent_calls(house& h) {
  scope calls{co_await this_context()};
  std::vector<outcome> got(100);
  const std::string argument = '"' + std::string(20'000, 'x') + '"';
  for (outcome& o : got) calls.spawn(call_into(h.side, o, argument));
  auto slept = co_await sleep_for(50ms);
  expect(slept.has_value() && h.wire.queued() > 0_ul);
  kill(h.wire.pid(), SIGKILL);
  co_await calls.join();
  std::size_t no = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    expect(got[i].ends == 1_i && got[i].failure.has_value());
    if (got[i].failure->executed == execution::no) ++no;
    expect(i == 0 || got[i - 1].failure->executed == execution::unknown || got[i].failure->executed == execution::no);
  }
  expect(no > 0_ul && no < got.size()) << no;
}

task<void> closes_output(house& h) {
  scope calls{co_await this_context()};
  outcome got;
  calls.spawn(call_into(h.side, got, "{}"));
  co_await calls.join();
  expect(got.failure.has_value() && got.failure->code == errc::closed) << got.text;
  expect(contains(got.failure->what, "closed its output and goes on running")) << got.failure->what;
}

task<void> closes_input(house& h) {
  const outcome first = co_await call(h.side);
  expect(first.failure.has_value() && first.failure->code == errc::closed);
  expect(contains(first.failure->what, "closed its input")) << first.failure->what;
}

task<void> never_reads(house& h) {
  scope calls{co_await this_context()};
  std::vector<outcome> got(40);
  const std::string argument = '"' + std::string(1'000'000, 'x') + '"';
  for (outcome& o : got) calls.spawn(call_into(h.side, o, argument));
  auto slept = co_await sleep_for(100ms);
  expect(slept.has_value());
  const auto refused = std::count_if(got.begin(), got.end(), [](const outcome& o) {
    return o.failure.has_value() && o.failure->code == errc::too_large && o.failure->executed == execution::no;
  });
  expect(refused > 0_l && refused < 20_l) << refused;
  calls.request_stop();
  co_await calls.join();
}

task<void> still_answers(house& h) {
  for (int i = 0; i < 3; ++i) {
    const outcome got = co_await call(h.side);
    expect(got.text == "1") << (got.failure ? got.failure->what : got.text);
  }
}

task<void> endless_line(house& h) {
  const error why = co_await how_it_ended(h);
  expect(why.code == errc::too_large && contains(why.what, "65536 bytes")) << why.what;
  expect(h.heard.heard == std::vector<std::string>{"before"});
}

task<void> noisy(house& h) {
  co_await still_answers(h);
  expect(h.wire.reader().noise() == 7_u) << h.wire.reader().noise();
}

task<void> only_noise(house& h) {
  const error why = co_await how_it_ended(h);
  expect(why.code == errc::protocol && contains(why.what, "are no MCP messages") && contains(why.what, "log line"))
      << why.what;
}

task<void> other_framing(house& h) {
  const error why = co_await how_it_ended(h);
  expect(why.code == errc::protocol && contains(why.what, "Content-Length")) << why.what;
}

task<void> unterminated(house& h) {
  const outcome got = co_await call(h.side);
  expect(got.text == "\"last\"") << (got.failure ? got.failure->what : got.text);
  const error why = co_await how_it_ended(h);
  expect(contains(why.what, "exited with 0")) << why.what;
}

task<void> thousand_in_one_write(house& h) {
  const outcome got = co_await call(h.side);
  expect(got.text == "\"after all\"" && h.heard.heard.size() == 1000_ul);
}

task<void> five_megabytes(house& h) {
  for (int i = 0; i < 3; ++i) {
    const outcome got = co_await call(h.side);
    expect(got.text.size() == 5'000'002_ul) << got.text.size() << (got.failure ? got.failure->what : "");
  }
}

task<void> launcher_exits(house& h) { co_await still_answers(h); }

task<void> open_call_close(loop& l) {
  const counted alive;
  keeper k{l};
  {
    stdio_options options{.what = script("while request; do answer '{\"ok\":true}'; done")};
    house h{l, k, std::move(options)};
    auto opened = co_await h.wire.open(h.side);
    if (opened) {
      const outcome got = co_await call(h.side);
      expect(got.ends == 1_i);
    }
    auto closed = co_await h.wire.close();
    expect(closed.has_value());
  }
  auto ended = co_await k.close();
  expect(ended.has_value());
}

task<void> refused(loop& l, std::string program, std::string says) {
  keeper k{l};
  stdio_channel wire{k, {.what = {.program = std::move(program)}}};
  watching heard;
  peer side{l, wire, heard};
  auto opened = co_await wire.open(side);
  expect(!opened.has_value() && opened.error().code == errc::spawn && contains(opened.error().what, says))
      << (opened ? "" : opened.error().what);
  auto closed = co_await wire.close();
  expect(closed.has_value() && heard.why.empty());
  auto ended = co_await k.close();
  expect(ended.has_value());
}

// Everything a server wrote before it exited counts, however late this side gets to reading it.
task<void> answers_before_exit(house& h) {
  scope calls{co_await this_context()};
  std::vector<outcome> got(900);
  for (outcome& o : got) calls.spawn(call_into(h.side, o, "{}"));
  auto begun = co_await sleep_for(1ms);
  auto sent = co_await h.wire.drained();
  expect(begun.has_value() && sent.has_value());
  std::this_thread::sleep_for(1s);  // this side is busy while the server answers everybody and exits
  co_await calls.join();
  const auto lost = std::count_if(got.begin(), got.end(), [](const outcome& o) { return o.failure.has_value(); });
  expect(lost == 0_l) << lost << "answers were lost";
}

task<void> close_into(stdio_channel& wire, std::optional<result<void>>& into) { into.emplace(co_await wire.close()); }

task<void> closed_by_two(house& h) {
  scope first{co_await this_context()};
  scope second{co_await this_context()};
  std::optional<result<void>> one;
  std::optional<result<void>> two;
  first.spawn(close_into(h.wire, one));
  auto begun = co_await sleep_for(20ms);
  expect(begun.has_value() && !one.has_value() && h.wire.pid() != 0);
  second.spawn(close_into(h.wire, two));
  second.request_stop();
  co_await second.join();
  expect(two.has_value() && two->has_value() && h.wire.pid() == 0) << "still running";
  co_await first.join();
}

task<void> open_into(stdio_channel& wire, peer& to, std::optional<result<void>>& into) {
  into.emplace(co_await wire.open(to));
}

task<void> closed_while_opening(loop& l) {
  keeper k{l};
  {
    house h{l, k, {.what = script("sleep 60")}};
    scope opening{co_await this_context()};
    std::optional<result<void>> opened;
    opening.spawn(open_into(h.wire, h.side, opened));
    co_await yield();  // it has asked; no answer is heard before the loop polls
    expect(!opened.has_value());
    auto closed = co_await h.wire.close();
    expect(closed.has_value());
    co_await opening.join();
    expect(h.wire.pid() == 0) << "a server runs behind a closed channel";
    auto again = co_await h.wire.close();
    expect(again.has_value());
  }
  auto ended = co_await k.close();
  expect(ended.has_value());
}

task<void> opened_twice(loop& l) {
  keeper k{l};
  {
    house h{l, k, {.what = script("while request; do answer 1; done")}};
    auto opened = co_await h.wire.open(h.side);
    expect(opened.has_value());
    auto closed = co_await h.wire.close();
    expect(closed.has_value());
    auto again = co_await h.wire.open(h.side);
    expect(!again.has_value() && h.wire.pid() == 0) << "a channel that can neither send nor be closed";
    auto end = co_await h.wire.close();
    expect(end.has_value());
  }
  auto ended = co_await k.close();
  expect(ended.has_value());
}

const suite<"stdio_channel"> tests = [] {
  const std::string serve = "while request; do answer 1; done";

  "what a server wrote before it exited is heard"_test = [] {
    // More than one event reads, less than the socket holds.
    stdio_options options{
        .what = script("pad=$(head -c 45 /dev/zero | tr '\\0' 'z'); i=0; t=;"
                       "while [ $i -lt 900 ]; do request; i=$((i+1));"
                       "t=\"$t{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":$id,\\\"result\\\":\\\"$pad\\\"}\n\";"
                       "done; printf '%s' \"$t\"; exit 0")};
    options.what.output = stdio::socket;
    with_server(std::move(options), answers_before_exit);
  };
  "a second close waits, too, and a stop does not shorten it"_test = [] {
    with_script("trap '' TERM; exec <&-; sleep 60", closed_by_two);
  };
  "closing while opening leaves no server"_test = [] {
    loop l;
    l.run(closed_while_opening(l));
  };
  "a closed channel is not opened again"_test = [] {
    loop l;
    l.run(opened_twice(l));
  };
  "a call goes through the pipes of a child and back"_test = [] {
    with_script("while request; do answer '{\"ok\":true}'; done", one_call);
  };
  "a call goes through a socket pair and back"_test = [] {
    stdio_options options{.what = script("while request; do answer '{\"ok\":true}'; done")};
    options.what.input = options.what.output = stdio::socket;
    with_server(std::move(options), one_call);
  };
  "A01 A02 a command that cannot be started is named"_test = [] {
    loop l;
    l.run(refused(l, "no-such-command-anywhere", "no-such-command-anywhere"));
    l.run(refused(l, "/etc/passwd", "/etc/passwd"));
  };
  "A04 a server that exits before it says anything is reported at once, with its last words"_test = [] {
    with_script("echo 'no config found' >&2; exit 0", exits_at_once);
  };
  "A05 of long last words the end is kept, and shown without control characters"_test = [] {
    with_script("head -c 100000 /dev/zero | tr '\\0' 'x' >&2; printf '\\033[31mthe end\\n' >&2; exit 1",
                long_last_words);
  };
  "A08 A09 a killed server's calls end, each with its outcome unknown"_test = [] {
    with_script("while request; do :; done", killed_with_calls);
  };
  "A08 calls that never left are known not to be executed"_test = [] { with_script("sleep 60", unsent_calls); };
  "A11 a server that closes its output is as good as dead"_test = [] {
    with_script("request; exec >&-; sleep 60", closes_output);
  };
  "A12 a server that closes its input is as good as dead"_test = [] {
    with_script("exec <&-; sleep 60", closes_input);
  };
  "A13 what a server does not read is limited, and further calls are refused"_test = [] {
    with_script("sleep 60", never_reads);
  };
  "A14 a flood on stderr disturbs nobody"_test = [serve] {
    with_script("head -c 50000000 /dev/zero >&2 & " + serve, still_answers);
  };
  "A15 a line without end is refused at the limit, after the messages before it"_test = [] {
    stdio_options options{.what = script("echo '{\"jsonrpc\":\"2.0\",\"method\":\"before\"}'; cat /dev/zero")};
    options.limits.max_message = 65'536;
    with_server(std::move(options), endless_line);
  };
  "A17 A18 banners, log lines, carriage returns, blank lines and NUL bytes are passed over"_test = [] {
    with_script(
        "printf '\\357\\273\\277Welcome!\\r\\n\\n\\r\\n'; echo '{ broken: 1 }'; echo '{\"level\":30,\"msg\":\"x\"}';"
        "printf '\\0{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":5}\\n';"
        "while request; do echo 'log: line'; printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":1}\\r\\n' \"$id\"; done",
        noisy);
  };
  "a server that says nothing but noise is given up"_test = [] {
    with_script("while echo 'just a log line'; do :; done", only_noise);
  };
  "a server that frames by Content-Length is told apart"_test = [] {
    with_script("printf 'Content-Length: 20\\r\\n\\r\\n{}'; sleep 60", other_framing);
  };
  "A20 a thousand messages in one write arrive in order"_test = [] {
    with_script(
        "request; for i in $(seq 1000); do t=\"$t{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"method\\\":\\\"n\\\"}\n\"; done;"
        "printf '%s' \"$t\"; answer '\"after all\"'; sleep 60",
        thousand_in_one_write);
  };
  "A22 an answer without a line feed at the very end counts"_test = [] {
    with_script("request; printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":\"last\"}' \"$id\"; exit 0", unterminated);
  };
  "A24 a server behind a launcher that exits goes on serving, and is ended with it"_test = [serve] {
    const std::string token = new_token();
    stdio_options options{.what = script("exec 3<&0; (" + serve + ") <&3 & exit 0")};
    options.what.arguments.push_back(token);
    with_server(std::move(options), launcher_exits);
    expect(survivors(token, 2000).empty());
  };
  "results of megabytes arrive whole"_test = [] {
    with_script("big=$(head -c 5000000 /dev/zero | tr '\\0' 'y'); while request; do answer \"\\\"$big\\\"\"; done",
                five_megabytes);
  };
  "a server that dies in a call ends the call"_test = [] { with_script("request; kill -9 $$", call_fails_closed); };
  "opening, calling and closing stopped at every step"_test = [] { testing::every_step(open_call_close); };
};

}  // namespace

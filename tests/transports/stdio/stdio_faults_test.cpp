// SPDX-License-Identifier: MIT
// What servers do to the pipes they are on: they die, go silent, close an end, flood, and say what is no message.
#include <algorithm>
#include <csignal>

#include "../../../runtime/async/sleep.hpp"
#include "../../support/fixture.hpp"
#include "../../support/send_signal.hpp"
#include "stdio_fixture.hpp"

namespace stdio_faults_test {

using namespace hawser;
using namespace hawser::testing::stdio_fixture;
using namespace std::chrono_literals;
using testing::contains;
using testing::new_token;
using testing::survivors;

task<void> call_fails_closed(server_fixture& h) {
  const outcome got = co_await call(h.side);
  expect(got.failure.has_value() && got.failure->code == errc::closed && got.failure->executed == execution::unknown);
}

task<void> exits_at_once(server_fixture& h) {
  const time_point begin = steady_clock{}.now();
  const error why = co_await how_it_ended(h);
  expect(why.code == errc::closed && contains(why.what, "exited with 0")) << why.what;
  expect(contains(why.what, "no config found")) << why.what;
  expect(steady_clock{}.now() - begin < 3s);
  const outcome late = co_await call(h.side);
  expect(late.failure.has_value() && late.failure->code == errc::closed && late.failure->executed == execution::no);
}

task<void> long_last_words(server_fixture& h) {
  const error why = co_await how_it_ended(h);
  expect(contains(why.what, "exited with 1")) << why.what;
  expect(h.wire.stderr_tail().size() == 16'384_ul);
  expect(h.wire.stderr_tail().ends_with("the end\n"));
  expect(!contains(why.what, "\x1b") && contains(why.what, "\\u001b[31mthe end")) << why.what;
}

task<void> killed_with_calls(server_fixture& h) {
  scope calls{co_await this_context()};
  std::vector<outcome> got(100);
  for (outcome& o : got) calls.spawn(record_call(h.side, o, "{}"));
  auto sent = co_await h.wire.drained();
  expect(sent.has_value());
  auto slept = co_await sleep_for(20ms);
  expect(slept.has_value());
  const time_point begin = steady_clock{}.now();
  testing::send_signal(h.wire.pid(), SIGKILL);
  co_await calls.join();
  expect(steady_clock{}.now() - begin < 1s);
  for (const outcome& o : got) {
    expect(o.ends == 1_i && o.failure.has_value() && o.failure->executed == execution::unknown);
    expect(contains(o.failure->what, "signal 9")) << o.failure->what;
  }
}

// More than a pipe holds: some requests never leave, and only of those it is certain that they were not executed.
task<void> unsent_calls(server_fixture& h) {
  scope calls{co_await this_context()};
  std::vector<outcome> got(100);
  const std::string argument = '"' + std::string(20'000, 'x') + '"';
  for (outcome& o : got) calls.spawn(record_call(h.side, o, argument));
  auto slept = co_await sleep_for(50ms);
  expect(slept.has_value() && h.wire.queued() > 0_ul);
  testing::send_signal(h.wire.pid(), SIGKILL);
  co_await calls.join();
  std::size_t no = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    expect(got[i].ends == 1_i && got[i].failure.has_value());
    if (got[i].failure->executed == execution::no) ++no;
    expect(i == 0 || got[i - 1].failure->executed == execution::unknown || got[i].failure->executed == execution::no);
  }
  expect(no > 0_ul && no < got.size()) << no;
}

task<void> closes_output(server_fixture& h) {
  scope calls{co_await this_context()};
  outcome got;
  calls.spawn(record_call(h.side, got, "{}"));
  co_await calls.join();
  expect(got.failure.has_value() && got.failure->code == errc::closed) << got.text;
  expect(contains(got.failure->what, "closed its output and goes on running")) << got.failure->what;
}

task<void> closes_input(server_fixture& h) {
  const outcome first = co_await call(h.side);
  expect(first.failure.has_value() && first.failure->code == errc::closed);
  expect(contains(first.failure->what, "closed its input")) << first.failure->what;
}

task<void> never_reads(server_fixture& h) {
  scope calls{co_await this_context()};
  std::vector<outcome> got(40);
  const std::string argument = '"' + std::string(1'000'000, 'x') + '"';
  for (outcome& o : got) calls.spawn(record_call(h.side, o, argument));
  auto slept = co_await sleep_for(100ms);
  expect(slept.has_value());
  const auto refused = std::count_if(got.begin(), got.end(), [](const outcome& o) {
    return o.failure.has_value() && o.failure->code == errc::too_large && o.failure->executed == execution::no;
  });
  expect(refused > 0_l && refused < 20_l) << refused;
  calls.request_stop();
  co_await calls.join();
}

task<void> still_answers(server_fixture& h) {
  for (int i = 0; i < 3; ++i) {
    const outcome got = co_await call(h.side);
    expect(got.text == "1") << (got.failure ? got.failure->what : got.text);
  }
}

task<void> endless_line(server_fixture& h) {
  const error why = co_await how_it_ended(h);
  expect(why.code == errc::too_large && contains(why.what, "65536 bytes")) << why.what;
  expect(h.heard.heard == std::vector<std::string>{"before"});
}

task<void> noisy(server_fixture& h) {
  co_await still_answers(h);
  expect(h.wire.reader().noise() == 7_u) << h.wire.reader().noise();
}

task<void> only_noise(server_fixture& h) {
  const error why = co_await how_it_ended(h);
  expect(why.code == errc::protocol && contains(why.what, "are no MCP messages") && contains(why.what, "log line"))
      << why.what;
}

task<void> other_framing(server_fixture& h) {
  const error why = co_await how_it_ended(h);
  expect(why.code == errc::protocol && contains(why.what, "Content-Length")) << why.what;
}

task<void> unterminated(server_fixture& h) {
  const outcome got = co_await call(h.side);
  expect(got.text == "\"last\"") << (got.failure ? got.failure->what : got.text);
  const error why = co_await how_it_ended(h);
  expect(contains(why.what, "exited with 0")) << why.what;
}

task<void> launcher_exits(server_fixture& h) { co_await still_answers(h); }

const suite<"stdio_channel"> tests = [] {
  const std::string serve = "while request; do answer 1; done";

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
  "A14 a flood on stderr does not disturb calls"_test = [serve] {
    with_script("head -c 50000000 /dev/zero >&2 & " + serve, still_answers);
  };
  "A15 a line without end is refused at the limit, after the messages before it"_test = [] {
    stdio_channel_options options{.what = script("echo '{\"jsonrpc\":\"2.0\",\"method\":\"before\"}'; cat /dev/zero")};
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
  "A22 an answer without a line feed at the very end counts"_test = [] {
    with_script("request; printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":\"last\"}' \"$id\"; exit 0", unterminated);
  };
  "A24 a server behind a launcher that exits goes on serving, and is ended with it"_test = [serve] {
    const std::string token = new_token();
    stdio_channel_options options{.what = script("exec 3<&0; (" + serve + ") <&3 & exit 0")};
    options.what.arguments.push_back(token);
    with_server(std::move(options), launcher_exits);
    expect(survivors(token, 2000).empty());
  };
  "a server that dies in a call ends the call"_test = [] { with_script("request; kill -9 $$", call_fails_closed); };
};

}  // namespace stdio_faults_test

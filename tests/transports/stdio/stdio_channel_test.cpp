// SPDX-License-Identifier: MIT
#include "../../../transports/stdio/stdio_channel.hpp"

#include <optional>
#include <thread>

#include "../../../runtime/async/sleep.hpp"
#include "../../support/every_step.hpp"
#include "stdio_fixture.hpp"

namespace stdio_channel_test {

using namespace hawser;
using namespace hawser::testing::stdio_fixture;
using namespace std::chrono_literals;
using testing::contains;
using testing::counted;

task<void> one_call(server_fixture& h) {
  const outcome got = co_await call(h.side);
  expect(got.text == R"({"ok":true})") << got.text << (got.failure ? got.failure->what : "");
}

task<void> thousand_in_one_write(server_fixture& h) {
  const outcome got = co_await call(h.side);
  expect(got.text == "\"after all\"" && h.heard.heard.size() == 1000_ul);
}

task<void> five_megabytes(server_fixture& h) {
  for (int i = 0; i < 3; ++i) {
    const outcome got = co_await call(h.side);
    expect(got.text.size() == 5'000'002_ul) << got.text.size() << (got.failure ? got.failure->what : "");
  }
}

task<void> open_call_close(loop& l) {
  const counted alive;
  keeper k{l};
  {
    stdio_channel_options options{.what = script("while request; do answer '{\"ok\":true}'; done")};
    server_fixture h{l, k, std::move(options)};
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
task<void> answers_before_exit(server_fixture& h) {
  scope calls{co_await this_context()};
  std::vector<outcome> got(900);
  for (outcome& o : got) calls.spawn(record_call(h.side, o, "{}"));
  auto begun = co_await sleep_for(1ms);
  auto sent = co_await h.wire.drained();
  expect(begun.has_value() && sent.has_value());
  std::this_thread::sleep_for(1s);  // this side is busy while the server answers everybody and exits
  co_await calls.join();
  const auto lost = std::count_if(got.begin(), got.end(), [](const outcome& o) { return o.failure.has_value(); });
  expect(lost == 0_l) << lost << "answers were lost";
}

task<void> close_into(stdio_channel& wire, std::optional<result<void>>& into) { into.emplace(co_await wire.close()); }

task<void> closed_by_two(server_fixture& h) {
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
    server_fixture h{l, k, {.what = script("sleep 60")}};
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
    server_fixture h{l, k, {.what = script("while request; do answer 1; done")}};
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
  "what a server wrote before it exited is heard"_test = [] {
    // More than one event reads, less than the socket holds.
    stdio_channel_options options{
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
    stdio_channel_options options{.what = script("while request; do answer '{\"ok\":true}'; done")};
    options.what.input = options.what.output = stdio::socket;
    with_server(std::move(options), one_call);
  };
  "A01 A02 a command that cannot be started is named"_test = [] {
    loop l;
    l.run(refused(l, "no-such-command-anywhere", "no-such-command-anywhere"));
    l.run(refused(l, "/etc/passwd", "/etc/passwd"));
  };
  "A20 a thousand messages in one write arrive in order"_test = [] {
    with_script(
        "request; for i in $(seq 1000); do t=\"$t{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"method\\\":\\\"n\\\"}\n\"; done;"
        "printf '%s' \"$t\"; answer '\"after all\"'; sleep 60",
        thousand_in_one_write);
  };
  "results of megabytes arrive whole"_test = [] {
    with_script("big=$(head -c 5000000 /dev/zero | tr '\\0' 'y'); while request; do answer \"\\\"$big\\\"\"; done",
                five_megabytes);
  };
  "opening, calling and closing stopped at every step"_test = [] { testing::every_step(open_call_close); };
};

}  // namespace stdio_channel_test

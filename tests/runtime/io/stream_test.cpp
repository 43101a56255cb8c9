// SPDX-License-Identifier: MIT
#include "../../../runtime/io/stream.hpp"

#include <csignal>
#include <cstring>

#include "../../../runtime/async/event.hpp"
#include "../../../runtime/async/scope.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../../runtime/async/timeout.hpp"
#include "../../../runtime/async/when.hpp"
#include "../../../runtime/process/keeper.hpp"
#include "../../support/every_step.hpp"
#include "../../support/fixture.hpp"
#include "../../support/run.hpp"
#include "../../support/stream_pair.hpp"
#include "../../support/ut.hpp"

namespace stream_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::counted;
using testing::pattern;
using testing::pipe_pair;
using testing::run;
using testing::socket_pair;
using testing::stream_pair;

task<result<std::string>> read_exactly(stream& s, std::size_t size) {
  const counted alive;
  while (s.unread().size() < size) {
    auto more = co_await s.read_some();
    if (!more) co_return more.error();
  }
  std::string text{s.unread().substr(0, size)};
  s.consume(size);
  co_return text;
}

task<result<void>> write_all(stream& s, std::string text) {
  const counted alive;
  s.write(std::move(text));
  co_return co_await s.drained();
}

// Sends everything through while the other side reads, and compares.
task<void> through(loop& l, std::size_t size, bool over_pipe) {
  stream_pair p = over_pipe ? pipe_pair(l) : socket_pair(l);
  const std::string text = pattern(size);
  auto both = co_await when_all(write_all(p.a, text), read_exactly(p.b, size));
  const context where = co_await this_context();
  if (where.stop_requested()) co_return;
  expect(std::get<0>(both).has_value());
  expect(std::get<1>(both).has_value() && *std::get<1>(both) == text);
}

task<void> small_over_pipe(loop& l) { co_await through(l, 20'000, true); }
task<void> large_over_socket(loop& l) { co_await through(l, 3'000'000, false); }

task<void> corked(loop& l) {
  stream_pair p = socket_pair(l);
  std::string all;
  for (int i = 0; i < 1000; ++i) {
    const std::string piece = std::to_string(i) + '\n';
    p.a.write(std::string_view{piece});
    all += piece;
  }
  expect(p.a.queued() == all.size() - 2) << "the first piece leaves at once, the others at the end of the turn";
  auto got = co_await p.b.read_some();
  expect(got.has_value() && *got == all.substr(0, got->size()) && got->size() >= 2048)
      << "the second write carries all the others";
  expect(p.a.queued() == 0U);
  auto rest = co_await read_exactly(p.b, all.size());
  expect(rest.has_value() && *rest == all);
}

task<void> mixed_pieces(loop& l) {
  stream_pair p = socket_pair(l);
  std::string all;
  for (int i = 0; i < 40; ++i) {
    const std::string small = "small " + std::to_string(i);
    std::string large = pattern(100'000 + static_cast<std::size_t>(i));
    all += small + large;
    p.a.write(std::string_view{small});
    p.a.write(std::move(large));
  }
  auto got = co_await read_exactly(p.b, all.size());
  expect(got.has_value() && *got == all) << "copied and moved pieces keep their order";
}

task<void> pauses_at_high_water(loop& l) {
  constexpr std::size_t high = 64 * 1024;
  stream_pair p = socket_pair(l, {.high_water = high, .max_unread = 100 * high});
  auto first = co_await when_all(write_all(p.a, "x"), read_exactly(p.b, 1));
  expect(std::get<1>(first).has_value());
  const std::string text = pattern(4'000'000);
  p.a.write(std::string{text});
  auto stuck = co_await with_timeout(100ms, write_all(p.a, ""));
  expect(stuck.has_error() && stuck.error().code == errc::timed_out) << "a reader that does not read pushes back";
  expect(p.b.unread().size() >= high);
  expect(p.b.unread().size() < 4 * high) << p.b.unread().size();
  auto got = co_await read_exactly(p.b, text.size());
  expect(got.has_value() && *got == text) << "a reader that wants more gets past the high-water mark";
}

// Memory that is handed over makes room as bytes do that are read.
task<void> goes_on_when_taken(loop& l) {
  constexpr std::size_t high = 10'000;
  stream_pair p = socket_pair(l, {.high_water = high, .max_unread = 100 * high});
  p.a.write(pattern(5'000'000));
  auto first = co_await p.b.read_some();
  expect(fatal(first.has_value()));
  for (std::size_t got = 0; got < 5'000'000;) {
    const byte_buffer taken = p.b.take(p.b.unread().size());
    got += taken.view().size();
    if (got == 5'000'000) break;
    for (int patience = 2000; patience > 0 && p.b.unread().empty(); --patience)
      ignore(co_await sleep_for(1ms), "no stop");
    expect(fatal(!p.b.unread().empty())) << "nobody asks for more, and it comes all the same; so far" << got;
  }
}

task<void> limits_what_is_not_taken(loop& l) {
  stream_pair p = socket_pair(l, {.high_water = 1000, .max_unread = 10'000});
  p.a.write(pattern(100'000));
  auto never = co_await read_exactly(p.b, 50'000);
  expect(never.has_error() && never.error().code == errc::too_large) << "a limit with a name";
}

task<void> ends(loop& l) {
  stream_pair p = socket_pair(l);
  p.a.write("last words");
  auto shut = co_await p.a.shutdown();
  expect(shut.has_value());
  auto got = co_await read_exactly(p.b, 10);
  expect(got.has_value() && *got == "last words");
  auto end = co_await p.b.read_some();
  expect(end.has_error() && end.error().code == errc::closed);
  p.b.write("and back");
  auto back = co_await read_exactly(p.a, 8);
  expect(back.has_value() && *back == "and back") << "the other direction lives on";
  p.a.write("too late");
  auto late = co_await p.a.drained();
  expect(late.has_error() && late.error().code == errc::closed);
}

task<void> dead_reader(loop& l) {
  stream_pair p = pipe_pair(l);
  co_await p.b.close();
  p.a.write("hello?");
  auto sent = co_await p.a.drained();
  expect(sent.has_error() && sent.error().code == errc::closed) << "a write to nobody is an error, not a signal";
  auto shut = co_await p.a.shutdown();
  expect(shut.has_error());
}

task<void> close_later(stream& s) {
  co_await yield();
  co_await s.close();
}

task<void> close_under_a_reader(loop& l) {
  stream_pair p = socket_pair(l);
  scope s{co_await this_context()};
  s.spawn(close_later(p.b));
  auto got = co_await p.b.read_some();
  expect(got.has_error() && got.error().code == errc::closed);
  co_await s.join();
  co_await p.b.close();
}

task<void> everything(loop& l) {
  const counted alive;
  stream_pair p = pipe_pair(l);
  auto sent = co_await with_timeout(20ms, write_all(p.a, pattern(300'000)));
  ignore(sent, "nobody reads: it will not all go");
  auto got = co_await read_exactly(p.b, 1000);
  ignore(got, "only the end matters");
  co_await p.a.close();
}

task<void> short_exchange(loop& l) {
  const counted alive;
  stream_pair p = socket_pair(l);
  p.a.write(pattern(100));
  auto got = co_await read_exactly(p.b, 100);
  auto shut = co_await p.b.shutdown();
  auto end = co_await p.a.read_some();
  ignore(got, "only the end matters");
  ignore(shut, "only the end matters");
  ignore(end, "only the end matters");
  co_await p.a.close();
}

constexpr int lines = testing::instrumented ? 100'000 : 1'000'000;
constexpr std::size_t line_size = 200;

void compose_line(std::string& into, int number) {
  const std::string head = std::to_string(number);
  into += head;
  into.append(line_size - 1 - head.size(), static_cast<char>('a' + number % 26));
  into += '\n';
}

task<void> send_lines(stream& to) {
  std::string batch;
  for (int i = 0; i < lines; ++i) {
    compose_line(batch, i);
    if (batch.size() < 60'000 && i + 1 < lines) continue;
    to.write(std::string_view{batch});
    batch.clear();
    auto sent = co_await to.drained();
    expect(sent.has_value());
  }
}

task<int> receive_lines(stream& from) {
  int next = 0;
  std::string expected;
  while (next < lines) {
    auto bytes = co_await from.read_some();
    if (!bytes) break;
    std::string_view rest = *bytes;
    for (; rest.size() >= line_size; rest.remove_prefix(line_size), ++next) {
      expected.clear();
      compose_line(expected, next);
      if (rest.substr(0, line_size) != expected) co_return -next;
    }
    from.consume(bytes->size() - rest.size());
  }
  co_return next;
}

task<int> lines_through_a_child(loop& l, stdio kind) {
  keeper k{l};
  command echo = testing::fixture_command("x", "echo");
  echo.input = echo.output = kind;
  auto made = co_await k.spawn(echo);
  expect(fatal(made.has_value()));
  auto both = co_await when_all(send_lines(made->input()), receive_lines(made->output()));
  auto ended = co_await made->shutdown({});
  expect(ended.has_value());
  auto closed = co_await k.close();
  expect(closed.has_value());
  co_return std::get<1>(both);
}

void with_loop(task<void> (*body)(loop&)) {
  loop l;
  l.run(body(l));
}

const suite<"stream"> tests = [] {
  "bytes arrive complete and in order over pipes and sockets of every size"_test = [] {
    for (const std::size_t size : {1U, 4095U, 4096U, 4097U, 65536U, 1'000'000U, 10'000'000U}) {
      for (const bool over_pipe : {true, false}) {
        loop l;
        l.run(through(l, size, over_pipe));
      }
    }
  };
  "what one turn writes leaves at once or in one piece"_test = [] { with_loop(corked); };
  "large and small pieces keep their order"_test = [] { with_loop(mixed_pieces); };
  "reading pauses at high water and goes on"_test = [] {
    with_loop(pauses_at_high_water);
    with_loop(goes_on_when_taken);
  };
  "bytes that nobody takes have a limit"_test = [] { with_loop(limits_what_is_not_taken); };
  "one direction can end while the other goes on"_test = [] { with_loop(ends); };
  "A12 a write to a closed pipe is an error and no signal"_test = [] { with_loop(dead_reader); };
  "closing wakes the reader"_test = [] { with_loop(close_under_a_reader); };
  "a small transfer stopped at every step"_test = [] { testing::every_step(small_over_pipe, {.waits = true}); };
  "a large transfer stopped at every step"_test = [] { testing::every_step(large_over_socket, {.waits = true}); };
  "a write that nobody reads stopped at every step"_test = [] { testing::every_step(everything, {.waits = true}); };
  "an exchange with shutdown and close stopped at every step"_test = [] {
    testing::every_step(short_exchange, {.waits = true});
  };
  "a million lines through an echoing child arrive complete and in order"_test = [] {
    loop l;
    expect(l.run(lines_through_a_child(l, stdio::pipe)) == lines);
  };
  "the same over a socket pair"_test = [] {
    loop l;
    expect(l.run(lines_through_a_child(l, stdio::socket)) == lines);
  };
};

}  // namespace stream_test

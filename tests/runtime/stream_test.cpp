// SPDX-License-Identifier: MIT
#include "../../runtime/stream.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "../../runtime/event.hpp"
#include "../../runtime/keeper.hpp"
#include "../../runtime/scope.hpp"
#include "../../runtime/sleep.hpp"
#include "../../runtime/timeout.hpp"
#include "../../runtime/when.hpp"
#include "../support/every_step.hpp"
#include "../support/fixture.hpp"
#include "../support/run.hpp"
#include "../support/ut.hpp"

namespace {

using namespace hawser;
using namespace std::chrono_literals;
using testing::counted;
using testing::run;

struct pair {
  stream a;
  stream b;
};

pair socket_pair(loop& l, stream_limits limits = {}) {
  int fds[2];
  expect(fatal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0));
  auto a = stream::adopt(l, fds[0], limits);
  auto b = stream::adopt(l, fds[1], limits);
  return {std::move(*a), std::move(*b)};
}

/// `a` is the end to write to.
pair pipe_pair(loop& l, stream_limits limits = {}) {
  int fds[2];
  expect(fatal(pipe2(fds, O_CLOEXEC) == 0));
  auto a = stream::adopt(l, fds[1], limits);
  auto b = stream::adopt(l, fds[0], limits);
  return {std::move(*a), std::move(*b)};
}

std::string pattern(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + i * 7 % 26 + i / 1000 % 3);
  return text;
}

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
  pair p = over_pipe ? pipe_pair(l) : socket_pair(l);
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
  pair p = socket_pair(l);
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
  pair p = socket_pair(l);
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
  pair p = socket_pair(l, {.high_water = high, .max_unread = 100 * high});
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

task<void> limits_what_is_not_taken(loop& l) {
  pair p = socket_pair(l, {.high_water = 1000, .max_unread = 10'000});
  p.a.write(pattern(100'000));
  auto never = co_await read_exactly(p.b, 50'000);
  expect(never.has_error() && never.error().code == errc::too_large) << "a limit with a name";
}

task<void> ends(loop& l) {
  pair p = socket_pair(l);
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
  pair p = pipe_pair(l);
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
  pair p = socket_pair(l);
  scope s{co_await this_context()};
  s.spawn(close_later(p.b));
  auto got = co_await p.b.read_some();
  expect(got.has_error() && got.error().code == errc::closed);
  co_await s.join();
  co_await p.b.close();
}

task<void> everything(loop& l) {
  const counted alive;
  pair p = pipe_pair(l);
  auto sent = co_await with_timeout(20ms, write_all(p.a, pattern(300'000)));
  ignore(sent, "nobody reads: it will not all go");
  auto got = co_await read_exactly(p.b, 1000);
  ignore(got, "only the end matters");
  co_await p.a.close();
}

task<void> short_exchange(loop& l) {
  const counted alive;
  pair p = socket_pair(l);
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
  command echo = testing::fixture("x", "echo");
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

// Collects what it hears; takes whole lines out of the stream as a channel would.
class listening final : public byte_listener, public write_listener {
 public:
  explicit listening(stream& from) : from_(from) {}
  void on_bytes() noexcept override {
    const std::size_t end = from_.unread().rfind('\n');
    if (end == std::string_view::npos) return;
    if (end + 1 >= 100'000) {
      const byte_buffer taken = from_.take(end + 1);
      text += taken.view();
    } else {
      text += from_.unread().substr(0, end + 1);
      from_.consume(end + 1);
    }
    if (text.size() >= wanted) enough.set();
  }
  void on_end(const error& why) noexcept override {
    ends.push_back(why.code);
    ended.set();
  }
  void on_write_failed(const error& why) noexcept override {
    ends.push_back(why.code);
    failed.set();
  }

  std::string text;
  std::size_t wanted = 0;
  std::vector<errc> ends;
  event enough;
  event ended;
  event failed;

 private:
  stream& from_;
};

task<void> listener_hears_everything(loop& l) {
  const counted alive;
  pair p = pipe_pair(l);
  listening heard{p.b};
  p.b.listen(heard);
  std::string sent;
  for (const std::size_t size : {1U, 10U, 5'000U, 3'000'000U, 10U}) {
    sent += pattern(size) + '\n';
    heard.wanted = sent.size();
    heard.enough.reset();
    p.a.write(pattern(size) + '\n');
    auto arrived = co_await heard.enough.wait();
    if (!arrived) break;
    expect(fatal(bool{heard.text == sent})) << size;
    expect(p.a.written() == sent.size());
  }
  p.a.write("no line feed");
  co_await p.a.close();
  auto ended = co_await heard.ended.wait();
  if (ended && heard.text == sent) {
    expect(p.b.unread() == "no line feed" and heard.ends == std::vector{errc::closed});
  }
  co_await p.b.close();
  expect(heard.ends.size() <= 1_ul);
}

task<void> dropped_before_closing(loop& l) {
  pair p = socket_pair(l);
  p.a.write("one");
  p.a.write("two");  // at the end of the turn
  expect(p.a.queued() == 3_u);
  p.a.drop_unsent();
  expect(p.a.queued() == 0_u);
  co_await p.a.close();
  auto end = co_await p.b.read_some();
  while (end) end = co_await p.b.read_some();
  expect(p.b.unread() == "one") << p.b.unread();
}

task<void> a_late_listener(loop& l) {
  pair p = socket_pair(l);
  p.a.write("one\n");
  co_await p.a.close();
  auto first = co_await p.b.read_some();
  expect(fatal(first.has_value()));
  auto end = co_await p.b.read_some();
  expect(end.has_error());
  listening heard{p.b};
  p.b.listen(heard);
  expect(heard.text.empty() and heard.ends.empty()) << "told in a turn of its own";
  auto ended = co_await heard.ended.wait();
  expect(ended.has_value() and heard.text == "one\n");
  expect(heard.ends == std::vector{errc::closed}) << "once";
}

task<void> listener_hears_of_failed_writes(loop& l) {
  pair p = pipe_pair(l);
  listening heard{p.a};
  p.a.watch_writes(heard);
  p.a.write("one");
  co_await p.b.close();
  expect(p.a.written() == 3_u);
  auto told = co_await heard.failed.wait();  // although nothing is being written
  expect(told.has_value());
  p.a.write("two");
  auto gone = co_await p.a.drained();
  expect(!gone.has_value());
  expect(heard.ends == std::vector{gone.error().code});
  p.a.write("three");
  expect(heard.ends.size() == 1_ul && p.a.written() == 3_u);
}

task<void> closing_is_no_failed_write(loop& l) {
  pair p = pipe_pair(l);
  listening heard{p.a};
  p.a.watch_writes(heard);
  stream gone = std::move(p.b);
  {
    const stream dies = std::move(gone);
  }
  p.a.write("one");
  co_await p.a.close();  // finds that nobody reads, while it sends what is left
  expect(heard.ends.empty());
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
  "reading pauses at high water and goes on"_test = [] { with_loop(pauses_at_high_water); };
  "bytes that nobody takes have a limit"_test = [] { with_loop(limits_what_is_not_taken); };
  "one direction can end while the other goes on"_test = [] { with_loop(ends); };
  "A12 a write to a closed pipe is an error and no signal"_test = [] { with_loop(dead_reader); };
  "closing wakes the reader"_test = [] { with_loop(close_under_a_reader); };
  "a listener hears every byte, keeps what is not a whole line, and hears the end once"_test = [] {
    with_loop(listener_hears_everything);
    testing::every_step(listener_hears_everything);
  };
  "what is dropped does not leave, not by closing either"_test = [] { with_loop(dropped_before_closing); };
  "a listener that comes late hears of what was before"_test = [] { with_loop(a_late_listener); };
  "a listener does not hear of a write that fails while this side closes"_test = [] {
    with_loop(closing_is_no_failed_write);
  };
  "A12 a listener hears once that nothing more can be written"_test = [] {
    with_loop(listener_hears_of_failed_writes);
  };
  "a small transfer stopped at every step"_test = [] { testing::every_step(small_over_pipe); };
  "a large transfer stopped at every step"_test = [] { testing::every_step(large_over_socket); };
  "a write that nobody reads stopped at every step"_test = [] { testing::every_step(everything); };
  "an exchange with shutdown and close stopped at every step"_test = [] { testing::every_step(short_exchange); };
  "a million lines through an echoing child arrive complete and in order"_test = [] {
    loop l;
    expect(l.run(lines_through_a_child(l, stdio::pipe)) == lines);
  };
  "the same over a socket pair"_test = [] {
    loop l;
    expect(l.run(lines_through_a_child(l, stdio::socket)) == lines);
  };
};

}  // namespace

// SPDX-License-Identifier: MIT
// Bytes, ends and failed writes that are told to a listener on the loop's own stack.
#include <string>
#include <utility>
#include <vector>

#include "../../../runtime/async/event.hpp"
#include "../../../runtime/async/scope.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../../runtime/io/stream.hpp"
#include "../../../runtime/loop/timer.hpp"
#include "../../support/every_step.hpp"
#include "../../support/run.hpp"
#include "../../support/stream_pair.hpp"
#include "../../support/ut.hpp"

namespace stream_listener_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::counted;
using testing::pattern;
using testing::pipe_pair;
using testing::socket_pair;
using testing::stream_pair;

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

task<void> listener_hears_everything(loop& l, std::size_t most) {
  const counted alive;
  stream_pair p = pipe_pair(l);
  listening heard{p.b};
  p.b.listen(heard);
  std::string sent;
  for (const std::size_t size : {std::size_t{1}, std::size_t{10}, std::size_t{5'000}, most, std::size_t{10}}) {
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
  stream_pair p = socket_pair(l);
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

task<void> drain(stream& of, std::vector<errc>& ends) {
  auto taken = co_await of.drained();
  ends.push_back(taken ? errc{} : taken.error().code);
}

// More than a socket holds, so that somebody waits for it.
task<void> dropped_while_draining(loop& l) {
  stream_pair p = socket_pair(l);
  p.a.write(pattern(4'000'000));
  std::vector<errc> ends;
  scope waiting{co_await this_context()};
  waiting.spawn(drain(p.a, ends));
  waiting.spawn(drain(p.a, ends));
  while (p.a.written() == 0) {
    auto turn = co_await sleep_for(duration::zero());
    if (!turn) break;
  }
  const std::uint64_t left = p.a.written();
  expect(p.a.queued() > 0_u && ends.empty());
  p.a.drop_unsent();
  co_await waiting.join();
  expect(ends == std::vector{errc::closed, errc::closed});
  co_await p.a.close();
  auto end = co_await p.b.read_some();
  while (end) end = co_await p.b.read_some();
  expect(p.b.unread().size() == left);
}

// Pieces of every size, behind one that the system takes in part, with every third one taken back, the last first.
task<void> taken_back(loop& l) {
  stream_pair p = socket_pair(l);
  const std::string first = pattern(2'000'000);
  p.a.write(first);
  while (p.a.written() == 0) {
    auto turn = co_await sleep_for(duration::zero());
    if (!turn) break;
  }
  std::vector<std::string> pieces;
  std::vector<std::uint64_t> begins;
  std::uint64_t begin = first.size();
  for (std::size_t i = 0; i < 60; ++i) {
    pieces.push_back(std::string(1 + i * i * 40, static_cast<char>('A' + i)));
    begins.push_back(begin);
    begin += pieces.back().size();
    p.a.write(pieces.back());
  }
  const std::size_t queued = p.a.queued();
  expect(!p.a.take_back(0, first.size()) && p.a.queued() == queued) << "some of it has left";
  std::size_t gone = 0;
  for (std::size_t i = pieces.size(); i-- > 0;) {
    if (i % 3 != 0) continue;
    expect(p.a.take_back(begins[i], pieces[i].size())) << i;
    gone += std::exchange(pieces[i], {}).size();
  }
  expect(p.a.queued() == queued - gone);
  std::string expected = first;
  for (const std::string& one : pieces) expected += one;
  while (p.b.unread().size() < expected.size()) {
    auto more = co_await p.b.read_some();
    if (!more) break;
  }
  expect(bool{p.b.unread() == expected} && p.a.queued() == 0_u && p.a.written() == expected.size());
  p.a.write("one");
  p.a.write("two");
  expect(p.a.take_back(expected.size() + 3, 3) && p.a.queued() <= 3_u);
  auto drained = co_await p.a.drained();
  expect(drained.has_value());
  co_await p.a.close();
  auto end = co_await p.b.read_some();
  while (end) end = co_await p.b.read_some();
  expect(p.b.unread().size() == expected.size() + 3);
}

task<void> a_late_listener(loop& l) {
  stream_pair p = socket_pair(l);
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
  stream_pair p = pipe_pair(l);
  listening heard{p.a};
  p.a.set_write_listener(heard);
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
  stream_pair p = pipe_pair(l);
  listening heard{p.a};
  p.a.set_write_listener(heard);
  stream gone = std::move(p.b);
  {
    const stream dies = std::move(gone);
  }
  p.a.write("one");
  co_await p.a.close();  // finds that nobody reads, while it sends what is left
  expect(heard.ends.empty());
}

class rings final : public timer {
 public:
  event rang;

 private:
  void on_expired() noexcept override { rang.set(); }
};

// Looks at the time, is busy for a while, and sets a deadline.
class busy final : public byte_listener {
 public:
  explicit busy(stream& from) : from_(from) {}
  ~busy() { bell_.cancel(); }
  void on_bytes() noexcept override {
    from_.consume(from_.unread().size());
    began = std::chrono::steady_clock::now();
    home->start(bell_, 100ms);
    while (std::chrono::steady_clock::now() < began + 60ms) {
    }
  }
  void on_end(const error&) noexcept override {}
  task<duration> took() {
    ignore(co_await bell_.rang.wait(), "nobody stops it");
    co_return std::chrono::steady_clock::now() - began;
  }

  loop* home = nullptr;
  std::chrono::steady_clock::time_point began;

 private:
  stream& from_;
  rings bell_;
};

task<void> deadlines_of_busy_listeners(loop& l) {
  stream_pair one = socket_pair(l);
  stream_pair two = socket_pair(l);
  busy first{one.b};
  busy second{two.b};
  first.home = second.home = &l;
  one.b.listen(first);
  two.b.listen(second);
  co_await yield();
  one.a.write("x");
  two.a.write("x");
  for (busy* each : {&first, &second}) expect(co_await each->took() >= 100ms) << "it counts from its own moment";
  co_await one.b.close();
  co_await two.b.close();
}

void with_loop(task<void> (*body)(loop&)) {
  loop l;
  l.run(body(l));
}

const suite<"stream listener"> tests = [] {
  "a listener hears every byte, keeps what is not a whole line, and hears the end once"_test = [] {
    with_loop([](loop& l) { return listener_hears_everything(l, 3'000'000); });
    // More than a pipe holds, and than is copied.
    testing::every_step([](loop& l) { return listener_hears_everything(l, 300'000); }, {.waits = true});
  };
  "a deadline that one listener sets is not shorter by what another took"_test = [] {
    with_loop(deadlines_of_busy_listeners);
  };
  "what is dropped does not leave, not by closing either"_test = [] { with_loop(dropped_before_closing); };
  "CLM-1 who waits for bytes to leave that are dropped is told that they will not"_test = [] {
    with_loop(dropped_while_draining);
  };
  "CLM-6 what is taken back before it has left does not leave, and everything around it does"_test = [] {
    with_loop(taken_back);
  };
  "a listener that comes late hears of what was before"_test = [] { with_loop(a_late_listener); };
  "a listener does not hear of a write that fails while this side closes"_test = [] {
    with_loop(closing_is_no_failed_write);
  };
  "A12 a listener hears once that nothing more can be written"_test = [] {
    with_loop(listener_hears_of_failed_writes);
  };
};

}  // namespace stream_listener_test

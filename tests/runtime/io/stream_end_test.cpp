// SPDX-License-Identifier: MIT
// How the two directions of a socket end, each by itself.
#include <string>

#include "../../../runtime/async/event.hpp"
#include "../../../runtime/async/scope.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../../runtime/async/timeout.hpp"
#include "../../../runtime/io/stream.hpp"
#include "../../support/every_step.hpp"
#include "../../support/run.hpp"
#include "../../support/stream_pair.hpp"
#include "../../support/ut.hpp"

namespace stream_end_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::pipe_pair;
using testing::socket_pair;
using testing::stream_pair;

struct failed_writes final : write_listener {
  int count = 0;
  event told{};
  void on_write_failed(const error&) noexcept override {
    ++count;
    told.set();
  }
};

task<result<void>> happened(event& e) { co_return co_await e.wait(); }

task<std::string> all_of(stream& from) {
  auto piece = co_await from.read_some();
  while (piece) piece = co_await from.read_some();
  co_return std::string{from.unread()};
}

// It may still read, and does.
task<void> other_side_ends_its_output(loop& l) {
  const testing::counted alive;
  stream_pair p = socket_pair(l);
  failed_writes heard;
  p.a.set_write_listener(heard);
  auto ended = co_await p.b.shutdown();
  ignore(ended, "a stop may come first");
  auto too_soon = co_await with_timeout(20ms, happened(heard.told));
  expect(too_soon.has_error() and heard.count == 0_i);
  p.a.write("an answer to the last words");
  auto closed = co_await p.a.shutdown();
  const std::string got = co_await all_of(p.b);
  const context where = co_await this_context();
  if (closed && !where.stop_requested()) expect(got == "an answer to the last words") << got;
}

// A pipe has no other way to end its only direction than to be closed.
task<void> pipe_is_ended(loop& l) {
  const testing::counted alive;
  stream_pair p = pipe_pair(l);
  const std::string much(200'000, 'x');  // more than it holds: somebody has to wait
  p.a.write(much);
  scope s{co_await this_context()};
  s.spawn([](stream& of) -> task<void> {
    auto ended = co_await of.shutdown();
    ignore(ended, "a stop may come first");
  }(p.a));
  const std::string got = co_await all_of(p.b);
  co_await s.join();
  const context where = co_await this_context();
  if (!where.stop_requested()) expect(got == much);
}

task<void> other_side_is_gone(loop& l) {
  stream_pair p = socket_pair(l);
  failed_writes heard;
  p.a.set_write_listener(heard);
  co_await p.b.close();
  auto told = co_await with_timeout(5s, happened(heard.told));
  expect(told.has_value() and heard.count == 1_i);
}

task<void> write_when_drained(stream& to, std::string text) {
  auto sent = co_await to.drained();
  if (sent) to.write(std::move(text));
}

// What is written between the end of the waiting and the end of the stream belongs to it.
task<std::string> written_behind(loop& l) {
  stream_pair p = socket_pair(l);
  const std::string much(4'000'000, 'x');
  p.a.write(much);
  scope s{co_await this_context()};
  s.spawn(write_when_drained(p.a, "the last word"));
  co_await yield();
  s.spawn([](stream& of) -> task<void> {
    auto ended = co_await of.shutdown();
    expect(ended.has_value());
  }(p.a));
  std::string got = co_await all_of(p.b);
  co_await s.join();
  expect(p.a.queued() == 0_ul);
  co_return got.substr(much.size());
}

const suite<"stream end"> tests = [] {
  "who has ended its own output may still be written to"_test = [] {
    loop l;
    l.run(other_side_ends_its_output(l));
    testing::every_step(other_side_ends_its_output, {.waits = true});
  };

  "a pipe is ended when the last byte has left"_test = [] {
    loop l;
    l.run(pipe_is_ended(l));
    testing::every_step(pipe_is_ended);
  };

  "a disconnect of the peer is reported although nothing is being written"_test = [] {
    loop l;
    l.run(other_side_is_gone(l));
  };

  "what is written while a stream is being ended still leaves"_test = [] {
    loop l;
    expect(l.run(written_behind(l)) == std::string{"the last word"});
  };
};

}  // namespace stream_end_test

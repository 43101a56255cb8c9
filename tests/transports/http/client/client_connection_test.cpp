// SPDX-License-Identifier: MIT
// One connection over a wire that does what no server can be made to do at the right moment.
#include "../../../../transports/http/client/client_connection.hpp"

#include <string>
#include <tuple>
#include <vector>

#include "../../../../runtime/async/sleep.hpp"
#include "../../../../runtime/loop/loop.hpp"
#include "../../../support/manual_clock.hpp"
#include "../../../support/run.hpp"
#include "../../../support/ut.hpp"

namespace client_connection_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::manual_clock;
using testing::run;

// What is written leaves when the test says so, and what the test says arrives at once.
class slow_wire final : public byte_stream {
 public:
  struct state {
    byte_listener* to = nullptr;
    byte_buffer in{};
    std::uint64_t left = 0;
    bool dropped = false;
    void arrive(std::string_view bytes) {
      const auto room = in.reserve(bytes.size());
      std::memcpy(room.at, bytes.data(), bytes.size());
      in.commit(bytes.size());
      to->on_bytes();
    }
  };
  explicit slow_wire(state& of) : of_(of) {}

  void listen(byte_listener& to) override { of_.to = &to; }
  [[nodiscard]] std::string_view unread() const noexcept override { return of_.in.view(); }
  void consume(std::size_t count) noexcept override { of_.in.consume(count); }
  void expect(std::size_t) override {}
  [[nodiscard]] std::size_t bytes_in_kernel() const noexcept override { return 0; }
  [[nodiscard]] byte_buffer take(std::size_t count) override { return of_.in.split(count); }
  void write(std::string_view bytes) override { unsent_ += bytes; }
  [[nodiscard]] std::size_t queued() const noexcept override { return unsent_.size(); }
  void drop_unsent() noexcept override {
    unsent_.clear();
    of_.dropped = true;
  }
  [[nodiscard]] std::uint64_t written() const noexcept override { return of_.left; }
  task<result<void>> drained() override { co_return result<void>{}; }
  task<result<void>> shutdown() override { co_return result<void>{}; }
  task<void> close() override { co_return; }
  void trim() noexcept override {}

 private:
  state& of_;
  std::string unsent_;
};

struct nobody_keeps final : connection_owner {
  void on_idle_connection_ended() noexcept override {}
};

constexpr std::string_view request = "POST /mcp HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}";
constexpr std::string_view answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

task<void> exchange(loop& l, bool left) {
  slow_wire::state wire;
  nobody_keeps keeper;
  client_connection over{l,     *http_url::parse("http://127.0.0.1:1/mcp"), std::make_unique<slow_wire>(wire), {}, {},
                         keeper};
  over.send(request);
  if (left) wire.left += request.size();
  wire.arrive(answer);
  auto answered = co_await over.wait_for_head();
  expect(answered.has_value() == left);
  if (!answered)
    expect(answered.error().code == errc::protocol and answered.error().executed == execution::no)
        << answered.error().what;
  if (left) expect(over.complete());
  expect(wire.dropped != left) << "what was not believed is not asked either";
  expect(!over.usable());
  co_await over.close();
}

// A connection over that wire, in a time that passes when the test waits.
struct wire_fixture {
  wire_fixture(loop& l, const http_timeouts& patience)
      : over{l, *http_url::parse("http://127.0.0.1:1/mcp"), std::make_unique<slow_wire>(wire), {}, patience, keeper} {
    over.send(request);
    wire.left += request.size();
  }
  slow_wire::state wire;
  nobody_keeps keeper;
  client_connection over;
};

// What arrives, one piece after the other, each after a pause.
struct arrival {
  duration pause;
  std::string_view bytes;
};

// Empty: it was answered.
std::string outcome_of(std::vector<arrival> arrivals, const http_timeouts& patience = {}) {
  std::string why;
  manual_clock time;
  run(time, [](std::vector<arrival> all, http_timeouts limits, std::string& into) -> task<void> {
    const context where = co_await this_context();
    wire_fixture at{*where.loop, limits};
    for (const arrival& one : all) {
      auto waited = co_await sleep_for(one.pause);
      expect(waited.has_value());
      if (!at.over.failed()) at.wire.arrive(one.bytes);
    }
    auto answered = co_await at.over.wait_for_head();
    into = answered ? "" : answered.error().what;
    if (answered) expect(at.over.complete() && at.over.head().status == 200_i);
    co_await at.over.close();
  }(std::move(arrivals), patience, why));
  return why;
}

suite<"http connection"> connections = [] {
  "T-19 a response that begins before its request was sent is rejected"_test = [] {
    for (const bool left : {true, false}) {
      loop l;
      l.run(exchange(l, left));
    }
  };

  "NET-3 an interim answer does not start the time for the head of the answer"_test = [] {
    for (const std::string_view interim :
         {"HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 102 Processing\r\n\r\n",
          "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"}) {
      const std::string once = outcome_of({{0s, interim}, {60s, answer}});
      expect(once.empty()) << once;
      const std::string again = outcome_of({{5s, interim}, {60s, interim}, {60s, answer}});
      expect(again.empty()) << again;
      const std::string split = outcome_of({{0s, interim.substr(0, 9)}, {9s, interim.substr(9)}, {60s, answer}});
      expect(split.empty()) << split;
    }
  };

  "NET-3 each head has its own time, and what follows an interim answer that of a first byte"_test = [] {
    constexpr std::string_view interim = "HTTP/1.1 103 Early Hints\r\n\r\n";
    const std::string slow_interim = outcome_of({{0s, interim.substr(0, 9)}, {11s, interim.substr(9)}});
    expect(slow_interim.find("head") != slow_interim.npos) << slow_interim;
    const std::string slow_head = outcome_of({{0s, interim}, {60s, answer.substr(0, 9)}, {11s, answer.substr(9)}});
    expect(slow_head.find("head") != slow_head.npos) << slow_head;
    const std::string joined = std::string{interim.substr(9)} + std::string{answer.substr(0, 9)};
    const std::string own_time = outcome_of({{0s, interim.substr(0, 9)}, {9s, joined}, {9s, answer.substr(9)}});
    expect(own_time.empty()) << own_time;
    const http_timeouts hasty{.first_byte = 15s};
    const std::string in_time = outcome_of({{10s, interim}, {10s, answer}}, hasty);
    expect(in_time.empty()) << in_time;
    const std::string silent = outcome_of({{10s, interim}, {16s, answer}}, hasty);
    expect(silent == "no answer in time") << silent;
  };

  "NET-4 the rest of an answer is dropped within limits of time and size, and then the connection is used again"_test =
      [] {
        constexpr std::string_view head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n";
        const std::string large = "10000\r\n" + std::string(0x10000, 'x') + "\r\n1\r\nx\r\n";
        for (const auto& [pause, rest, usable] :
             {std::tuple{200ms, std::string{"3\r\nabc\r\n0\r\n\r\n"}, true},
              std::tuple{300ms, std::string{"0\r\n\r\n"}, false}, std::tuple{0ms, large, false},
              std::tuple{0ms, std::string{"0\r\n\r\nHTTP/1.1 200 OK\r\n"}, false}}) {
          manual_clock time;
          run(time, [](std::string_view first, duration wait, std::string_view then, bool good) -> task<void> {
            const context where = co_await this_context();
            wire_fixture at{*where.loop, {}};
            at.wire.arrive(first);
            expect(at.over.discard_rest());
            auto waited = co_await sleep_for(wait);
            expect(waited.has_value());
            at.wire.arrive(then);
            expect(at.over.recycle() == good) << then.size();
            expect(at.over.usable() == good);
            co_await at.over.close();
          }(head, pause, rest, usable));
        }
      };

  "NET-4 an answer whose end is that of the connection, or large, is not waited for"_test = [] {
    for (const std::string_view head :
         {"HTTP/1.1 202 Accepted\r\n\r\n", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 9\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"}) {
      manual_clock time;
      run(time, [](std::string_view first) -> task<void> {
        const context where = co_await this_context();
        wire_fixture at{*where.loop, {}};
        at.wire.arrive(first);
        expect(!at.over.discard_rest()) << first;
        co_await at.over.close();
      }(head));
    }
  };
};

}  // namespace client_connection_test

// SPDX-License-Identifier: MIT
#include "../../../../transports/http/server/http_server.hpp"

#include <algorithm>
#include <stdexcept>

#include "../../../../runtime/async/timeout.hpp"
#include "../../../support/every_step.hpp"
#include "../../../support/http_server_fixture.hpp"
#include "../../../support/manual_clock.hpp"
#include "../../../support/run.hpp"

namespace http_server_test {

using namespace hawser;
using namespace hawser::testing;
using namespace std::chrono_literals;

task<void> echo(server_exchange& call) {
  http_fields fields;
  fields.add("X-Method", call.request().method);
  fields.add("Content-Length", "999");  // is not believed
  call.reply(200, fields, call.request().target + '|' + std::string{call.body()});
  co_return;
}

task<void> stream_three(server_exchange& call) {
  const counted alive;
  http_fields fields;
  fields.add("Content-Type", "text/event-stream");
  call.begin(200, fields);
  for (const char* piece : {"data: 1\n\n", "", "data: 2\n\n", "data: 3\n\n"}) {
    auto sent = co_await call.send(piece);
    if (!sent) co_return;
  }
  call.end();
}

task<void> say_nothing(server_exchange&) { co_return; }
task<void> throw_something(server_exchange&) {
  throw std::runtime_error{"a bug"};
  co_return;
}
task<void> stop_in_the_middle(server_exchange& call) {
  http_fields none;
  call.begin(200, none);
  auto sent = co_await call.send("half");
  ignore(sent, "of no interest");
}

// Waits for ever, and notes how it was ended.
struct blocking_handler {
  event entered;
  event left;
  errc how{};
};
task<void> wait_in(blocking_handler& room, server_exchange& call) {
  const counted alive;
  http_fields none;
  if (call.request().target == "/stream") {
    call.begin(200, none);
    auto sent = co_await call.send("first");
    ignore(sent, "of no interest");
  }
  room.entered.set();
  event never;
  auto waited = co_await never.wait();
  room.how = waited ? errc{} : waited.error().code;
  room.left.set();
}

const std::string get = "GET /a?b HTTP/1.1\r\nHost: x\r\n\r\n";
std::string post(const std::string& body, const std::string& fields = "") {
  return "POST /p HTTP/1.1\r\nHost: x\r\n" + fields + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         body;
}

task<void> keep_asking(endpoint at) {
  auto made = co_await connect_to({at});
  expect(made.has_value());
  if (!made) co_return;
  for (int i = 0; i < 3; ++i) {
    made->write(i == 1 ? post("hello") : get);
    auto answer = co_await received_response::read(*made);
    expect(answer.has_value());
    if (!answer) co_return;
    expect(answer->status == 200_i);
    expect(answer->body == (i == 1 ? "/p|hello" : "/a?b|"));
    expect(answer->fields.find("X-Method") == std::optional<std::string_view>{i == 1 ? "POST" : "GET"});
    expect(answer->fields.count("Content-Length") == 1_ul);
    const std::string date{answer->fields.find("Date").value_or("")};
    expect(date.size() == 29_ul && date.ends_with(" GMT") && date[3] == ',') << date;
    expect(answer->keep_alive);
  }
  co_await made->close();
}

task<void> ask_in_advance(endpoint at) {
  auto made = co_await connect_to({at});
  if (!made) co_return;
  made->write(post("one") + post("two") + get);
  for (const char* expected : {"/p|one", "/p|two", "/a?b|"}) {
    auto answer = co_await received_response::read(*made);
    expect(answer.has_value());
    if (answer) expect(answer->body == expected);
  }
  co_await made->close();
}

int heads_judged = 0;
int judged_before_the_other = 0;
std::optional<complete_response> refuse_some(const http_head& head) {
  ++heads_judged;
  if (head.target != "/refused") return std::nullopt;
  return complete_response{.status = 403};
}
task<void> note_heads(server_exchange& call) {
  judged_before_the_other = heads_judged;
  http_fields none;
  call.reply(200, none, {});
  co_return;
}
// One client sends 50 requests at once that are refused; another one is served in between.
task<void> refused_in_advance(loop& home) {
  heads_judged = judged_before_the_other = 0;
  auto server = http_server::listen(home, {});
  expect(server.has_value());
  if (!server) co_return;
  scope serving{co_await this_context()};
  serving.spawn(server->serve(note_heads, refuse_some));
  auto eager = co_await connect_to({server->local()});
  auto other = co_await connect_to({server->local()});
  if (eager && other) {
    std::string many;
    for (int i = 0; i < 50; ++i) many += "GET /refused HTTP/1.1\r\nHost: x\r\n\r\n";
    eager->write(many);
    other->write(get);
    auto answer = co_await received_response::read(*other);
    expect(answer.has_value() && answer->status == 200);
    for (int i = 0; i < 50; ++i) {
      auto refused = co_await received_response::read(*eager);
      expect(refused.has_value() && refused->status == 403) << i;
    }
    expect(heads_judged == 51_i && judged_before_the_other < 50_i) << judged_before_the_other;
    co_await eager->close();
    co_await other->close();
  }
  serving.request_stop();
  co_await serving.join();
}

task<void> flood_in_advance(blocking_handler& room, endpoint at) {
  auto made = co_await connect_to({at});
  if (!made) co_return;
  made->write(get + std::string(std::size_t{2} << 20, 'x'));
  auto left = co_await room.left.wait();
  expect(left.has_value() && room.how == errc::cancelled);
  co_await made->close();
}

struct exchange {
  std::string bytes;
  int status = 200;
  std::string body{};
  bool keep_alive = false;
};
// One question, one answer.
task<void> exchange_once(exchange expected, endpoint at) {
  auto answer = co_await ask(at, expected.bytes);
  expect(answer.has_value()) << expected.bytes.substr(0, 60);
  if (!answer) co_return;
  expect(answer->status == expected.status) << answer->status << expected.bytes.substr(0, 60);
  if (!expected.body.empty()) expect(answer->body == expected.body) << answer->body;
  expect(answer->keep_alive == expected.keep_alive) << expected.bytes.substr(0, 60);
}
// A question after which the server closes, having said this much.
task<void> refused_once(std::string bytes, std::string begins, endpoint at) {
  auto all = co_await ask_to_end(at, bytes);
  expect(all.has_value()) << bytes.substr(0, 60);
  if (!all) co_return;
  expect(all->starts_with(begins)) << *all << bytes.substr(0, 60);
  expect(begins.empty() || contains(*all, "\r\nConnection: close\r\n")) << *all;
  expect(!begins.empty() || all->empty()) << *all;
}

void serve(request_handler with, http_server_body visit, http_server_options options = {}) {
  loop l;
  l.run(serve_during(l, std::move(options), std::move(with), std::move(visit)));
}
void serve(hawser::clock& by, request_handler with, http_server_body visit, http_server_options options = {}) {
  loop l{loop::options{.clock = &by}};
  l.run(serve_during(l, std::move(options), std::move(with), std::move(visit)));
}

task<void> go_away(blocking_handler& room, std::string request, endpoint at) {
  auto made = co_await connect_to({at});
  if (!made) co_return;
  made->write(request);
  auto entered = co_await room.entered.wait();
  ignore(entered, "the next line says it");
  co_await made->close();
  auto left = co_await room.left.wait();
  expect(left.has_value() && room.how == errc::cancelled);
}

// `/` is answered at once, every other target waits.
task<void> wait_or_echo(blocking_handler& room, server_exchange& call) {
  if (call.request().target == "/stream") {
    co_await wait_in(room, call);
  } else {
    co_await echo(call);
  }
}
const std::string get_stream = "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n";

task<void> cap_of_one(blocking_handler& room, endpoint at) {
  auto first = co_await connect_to({at});
  if (!first) co_return;
  first->write(get_stream);
  auto entered = co_await room.entered.wait();
  expect(entered.has_value());
  co_await refused_once(get, "HTTP/1.1 503 ", at);
  expect(!room.left.is_set()) << "the first is not disturbed";
  co_await first->close();
  auto left = co_await room.left.wait();
  expect(left.has_value());
  co_await several_turns();
  auto third = co_await ask(at, get);
  expect(third.has_value() && third->status == 200) << "there is a place again";
}

// Whether the server has ended the connection.
task<bool> was_ended(stream& over) {
  auto more = co_await over.read_some();
  co_return !more.has_value() && more.error().code != errc::cancelled;
}

// Three places: one answers, one was used, one never was.
task<void> idle_ones_go(blocking_handler& room, endpoint at) {
  auto answering = co_await connect_to({at});
  auto used = co_await connect_to({at});
  auto unused = co_await connect_to({at});
  if (!answering || !used || !unused) co_return;
  answering->write(get_stream);
  auto entered = co_await room.entered.wait();
  expect(entered.has_value());
  used->write(get);
  auto first = co_await received_response::read(*used);
  expect(first.has_value() && first->status == 200);
  unused->write("GET / HTTP");  // half a head is not a use
  co_await several_turns();
  auto fourth = co_await ask(at, get);
  expect(fourth.has_value() && fourth->status == 200) << "there is always a place for a request";
  const bool gone = co_await was_ended(*unused);
  expect(gone) << "the one without a request goes first";
  used->write(get);
  auto second = co_await received_response::read(*used);
  expect(second.has_value() && second->status == 200) << "one that was used stays while there are others";
  std::vector<stream> idle;
  for (int i = 0; i < 4; ++i) {
    auto more = co_await connect_to({at});
    if (more) idle.push_back(std::move(*more));
    co_await several_turns();
  }
  used->write(get);
  auto third = co_await received_response::read(*used);
  expect(third.has_value() && third->status == 200) << "connections without a request push out each other only";
  expect(!room.left.is_set()) << "one that is being answered never goes";
  co_await answering->close();
  co_await used->close();
  co_await unused->close();
  for (stream& one : idle) co_await one.close();
}

std::optional<complete_response> only_mine(const http_head& head) {
  if (head.fields.find("host") == std::optional<std::string_view>{"mine"}) return std::nullopt;
  return complete_response{.status = 403, .body = "not here\n"};
}

// Whoever is refused by the head hears it at once: nothing more is sent, and nothing is asked for.
task<void> judged_by_the_head(endpoint at) {
  const std::string large = "Content-Length: 1000000\r\n\r\n";
  co_await refused_once("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n" + large, "HTTP/1.1 403 ", at);
  co_await refused_once("POST / HTTP/1.1\r\nHost: x\r\n" + large + "some of it", "HTTP/1.1 403 ", at);
  co_await refused_once("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 403 ", at);
  co_await refused_once("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n", "HTTP/1.1 403 ", at);
  auto made = co_await connect_to({at});
  if (!made) co_return;
  for (const char* host : {"x", "mine", "x"}) {
    made->write("GET / HTTP/1.1\r\nHost: " + std::string{host} + "\r\n\r\n");
    auto answer = co_await received_response::read(*made);
    expect(answer.has_value() && answer->keep_alive) << "without a body the connection goes on";
    if (answer) expect(answer->status == (host == std::string_view{"x"} ? 403 : 200)) << host;
  }
  made->write("POST / HTTP/1.1\r\nHost: mine\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  auto word = co_await read_exactly(*made, 25);
  expect(word.has_value() && *word == "HTTP/1.1 100 Continue\r\n\r\n");
  co_await made->close();
}

// Some of a body of 100 KiB, a piece every five seconds.
task<void> trickle(std::size_t piece, int pieces, std::string begins, endpoint at) {
  auto made = co_await connect_to({at});
  if (!made) co_return;
  made->write("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 102400\r\n\r\n");
  for (int i = 0; i < pieces; ++i) {
    made->write(std::string(piece, 'x'));
    auto slept = co_await sleep_for(5s);
    if (!slept) break;
  }
  auto all = co_await read_to_end(*made);
  expect(all.has_value() && all->starts_with(begins)) << (all ? all->substr(0, 60) : all.error().what);
  co_await made->close();
}

// What a client takes of its answer, a little every second.
class slow_taker final : public byte_stream {
 public:
  explicit slow_taker(std::uint64_t a_second) : a_second_(a_second) {}
  void listen(byte_listener& /*to*/) override {}
  [[nodiscard]] std::string_view unread() const noexcept override { return {}; }
  void consume(std::size_t /*count*/) noexcept override {}
  void expect(std::size_t /*count*/) override {}
  [[nodiscard]] std::size_t bytes_in_kernel() const noexcept override { return 0; }
  [[nodiscard]] byte_buffer take(std::size_t /*count*/) override { return {}; }
  void write(std::string_view bytes) override { queued_ += bytes.size(); }
  [[nodiscard]] std::size_t queued() const noexcept override { return queued_; }
  void drop_unsent() noexcept override { queued_ = 0; }
  [[nodiscard]] std::uint64_t written() const noexcept override { return written_; }
  task<result<void>> drained() override {
    while (queued_ > 0) {
      auto slept = co_await sleep_for(1s);
      if (!slept) co_return slept;
      const std::uint64_t taken = std::min<std::uint64_t>(a_second_, queued_);
      queued_ -= taken;
      written_ += taken;
    }
    co_return result<void>{};
  }
  task<result<void>> shutdown() override { co_return result<void>{}; }
  task<void> close() override { co_return; }

 private:
  std::uint64_t a_second_;
  std::size_t queued_ = 0;
  std::uint64_t written_ = 0;
};

task<result<void>> send_all(std::uint64_t a_second) {
  slow_taker over{a_second};
  http_head asked;
  asked.minor = 1;
  server_exchange call{over, std::move(asked), {}, {.window = 30s, .bytes = 30 * 1024}};
  http_fields none;
  call.begin(200, none);
  const std::string piece(std::size_t{256} << 10, 'x');
  co_return co_await call.send(piece);
}

// Two large bodies are one too many, small ones are not.
task<void> bodies_together(blocking_handler& room, endpoint at) {
  auto large = co_await connect_to({at});
  if (!large) co_return;
  large->write("POST /stream HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n" + std::string(200'000, 'x'));
  auto entered = co_await room.entered.wait();
  expect(entered.has_value());
  co_await refused_once(post(std::string(200'000, 'y')), "HTTP/1.1 503 ", at);
  auto small = co_await ask(at, post(std::string(60'000, 'z')));
  expect(small.has_value() && small->status == 200) << "small ones are served all the same";
  co_await large->close();
  auto left = co_await room.left.wait();
  expect(left.has_value());
  co_await several_turns();
  auto again = co_await ask(at, post(std::string(200'000, 'y')));
  expect(again.has_value() && again->status == 200) << "when the first is gone there is room again";
}

// Writes the bytes and then waits; what the server says until it closes.
task<void> stall(std::string bytes, std::string begins, endpoint at) { co_await refused_once(bytes, begins, at); }

task<void> never_read(blocking_handler& room, endpoint at) {
  auto made = co_await connect_to({at});
  if (!made) co_return;
  made->write(get);
  auto left = co_await room.left.wait();
  expect(left.has_value() && room.how == errc::timed_out);
  co_await made->close();
}
task<void> send_for_ever(blocking_handler& room, server_exchange& call) {
  http_fields none;
  call.begin(200, none);
  const std::string piece(std::size_t{1} << 20, 'x');
  while (true) {
    auto sent = co_await call.send(piece);
    if (sent) continue;
    room.how = sent.error().code;
    room.left.set();
    co_return;
  }
}

task<void> expect_continue(endpoint at) {
  auto made = co_await connect_to({at});
  if (!made) co_return;
  made->write("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  auto word = co_await read_exactly(*made, 25);
  expect(word.has_value() && *word == "HTTP/1.1 100 Continue\r\n\r\n");
  made->write("{}");
  auto answer = co_await received_response::read(*made);
  expect(answer.has_value() && answer->body == "/|{}");
  co_await made->close();
}

task<void> cut_in_the_middle(endpoint at) {
  auto answer = co_await ask(at, get);
  expect(!answer.has_value() && answer.error().code == errc::closed) << "half an answer is none";
}

task<void> stream_and_ask_again(endpoint at) {
  auto made = co_await connect_to({at});
  if (!made) co_return;
  for (int i = 0; i < 2; ++i) {
    made->write(get);
    auto answer = co_await received_response::read(*made);
    if (!answer) co_return;
    expect(answer->body == "data: 1\n\ndata: 2\n\ndata: 3\n\n");
    expect(answer->fields.find("transfer-encoding") == std::optional<std::string_view>{"chunked"});
  }
  co_await made->close();
}

const suite<"http_server"> tests = [] {
  "requests are answered one after the other on one connection"_test = [] { serve(echo, keep_asking); };
  "requests that come ahead of their turn wait for it"_test = [] { serve(echo, ask_in_advance); };

  "requests of one client that are refused one after the other do not hold up other clients"_test = [] {
    loop l;
    l.run(refused_in_advance(l));
  };

  "an answer in pieces is chunked, and the connection goes on"_test = [] { serve(stream_three, stream_and_ask_again); };

  "what ends the connection says so"_test = [] {
    const auto once = [](exchange e) { serve(echo, [e](endpoint at) { return exchange_once(e, at); }); };
    once({get, 200, "/a?b|", true});
    once({"GET /c HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 200, "/c|", false});
    once({"GET /d HTTP/1.0\r\n\r\n", 200, "/d|", false});
    once({"GET /e HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 200, "/e|", true});
    once({"POST /f HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", 200, "/f|{}", true});
  };

  "an answer in pieces to HTTP/1.0 ends with the connection, one to HEAD has no body"_test = [] {
    serve(stream_three, [](endpoint at) {
      return exchange_once({"GET / HTTP/1.0\r\n\r\n", 200, "data: 1\n\ndata: 2\n\ndata: 3\n\n", false}, at);
    });
    const std::string head = "HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    for (const request_handler& with : {request_handler{echo}, request_handler{stream_three}})
      serve(with, [&](endpoint at) -> task<void> {
        static constexpr auto ends = [](std::string bytes, endpoint to) -> task<void> {
          auto all = co_await ask_to_end(to, bytes);
          expect(all.has_value() && all->starts_with("HTTP/1.1 200 OK\r\n") && all->ends_with("\r\n\r\n"));
        };
        return ends(head, at);
      });
  };

  "a client that waits to be asked for its body is asked"_test = [] { serve(echo, expect_continue); };

  "a handler that does not answer or throws yields 500"_test = [] {
    serve(say_nothing, [](endpoint at) { return exchange_once({get, 500, {}, true}, at); });
    serve(throw_something, [](endpoint at) { return exchange_once({get, 500, {}, true}, at); });
  };

  "C06 an answer that was not ended is cut off"_test = [] { serve(stop_in_the_middle, cut_in_the_middle); };

  "H07 T-19 bad requests hear 400 and the connection is closed"_test = [] {
    for (const std::string bytes :
         {"garbage\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
          "GET / HTTP/1.1\nHost: x\n\n",
          "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
          "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\nhello", "GET / HTTP/1.1\r\nHost: x\r\n A: b\r\n\r\n",
          "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\x16\x03\x01\x02"})
      serve(echo, [bytes](endpoint at) { return refused_once(bytes, "HTTP/1.1 400 ", at); });
    serve(echo, [](endpoint at) { return refused_once(get + "garbage\r\n", "HTTP/1.1 200 ", at); });
  };

  "H07 too much is 413 or 431, though the client goes on sending"_test = [] {
    http_server_options small;
    small.limits = {.max_head = 200, .max_fields = 5, .max_body = 10};
    const auto refused = [&](std::string bytes, std::string begins) {
      serve(echo, [&](endpoint at) { return refused_once(bytes, begins, at); }, small);
    };
    refused(post("0123456789a"), "HTTP/1.1 413 ");
    refused(post(std::string(std::size_t{4} << 20, 'x')), "HTTP/1.1 413 ");
    refused("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n0123456789a\r\n0\r\n\r\n",
            "HTTP/1.1 413 ");
    refused("GET / HTTP/1.1\r\nA: " + std::string(300, 'a'), "HTTP/1.1 431 ");
    refused("GET / HTTP/1.1\r\na:b\r\na:b\r\na:b\r\na:b\r\na:b\r\na:b\r\n\r\n", "HTTP/1.1 431 ");
    serve(echo, [](endpoint at) { return exchange_once({post("0123456789"), 200, "/p|0123456789", true}, at); }, small);
  };

  "H07 a client that sends its head or body slowly, or nothing, is disconnected"_test = [] {
    const auto elapsed = [](std::string bytes, std::string begins) {
      manual_clock time;
      serve(time, echo, [&](endpoint at) { return stall(bytes, begins, at); });
      return time.elapsed();
    };
    expect(elapsed("GET / HTTP/1.1\r\nHo", "HTTP/1.1 408 ") >= 10s);
    expect(elapsed(post("hello").substr(0, post("hello").size() - 1), "HTTP/1.1 408 ") >= 10s);
    expect(elapsed("", "") >= 75s);
  };

  "a client that goes away stops what it asked for, also in the middle of a stream"_test = [] {
    for (const std::string target : {"/", "/stream"}) {
      blocking_handler room;
      const std::string request = "GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n";
      serve([&](server_exchange& call) { return wait_in(room, call); },
            [&](endpoint at) { return go_away(room, request, at); });
    }
  };

  "H07 a client that floods ahead of its turn is cut off"_test = [] {
    blocking_handler room;
    serve([&](server_exchange& call) { return wait_in(room, call); },
          [&](endpoint at) { return flood_in_advance(room, at); });
  };

  "a client that does not read its answer is given up"_test = [] {
    blocking_handler room;
    manual_clock time;
    serve(
        time, [&](server_exchange& call) { return send_for_ever(room, call); },
        [&](endpoint at) { return never_read(room, at); });
    expect(time.elapsed() >= 30s);
  };

  "H07 a connection beyond the limit gets 503, and the others continue"_test = [] {
    http_server_options one;
    one.max_connections = 1;
    blocking_handler room;
    serve([&](server_exchange& call) { return wait_or_echo(room, call); },
          [&](endpoint at) { return cap_of_one(room, at); }, one);
  };

  "FRZ-10 connections without a request make room for others, those that are answered never"_test = [] {
    http_server_options three;
    three.max_connections = 3;
    blocking_handler room;
    serve([&](server_exchange& call) { return wait_or_echo(room, call); },
          [&](endpoint at) { return idle_ones_go(room, at); }, three);
  };

  "FRZ-10 a body that comes slower than 1 KiB a second is not waited for, a faster one is"_test = [] {
    manual_clock slow;
    serve(slow, echo, [](endpoint at) { return trickle(1024, 3, "HTTP/1.1 408 ", at); });
    expect(slow.elapsed() >= 10s && slow.elapsed() < 60s);
    manual_clock fast;
    serve(fast, echo, [](endpoint at) { return trickle(20'480, 5, "HTTP/1.1 200 ", at); });
  };

  "FRZ-10 a client that takes its answer slower than 1 KiB a second is given up, a faster one is not"_test = [] {
    manual_clock slow;
    const auto given_up = run(slow, send_all(500));
    expect(!given_up.has_value() && given_up.error().code == errc::timed_out && slow.elapsed() < 60s);
    manual_clock fast;
    const auto taken = run(fast, send_all(2048));
    expect(taken.has_value() && fast.elapsed() >= 120s) << "however long it takes";
  };

  "FRZ-9 a request is judged by its head, before its body and before 100 Continue"_test = [] {
    loop l;
    static constexpr auto judged = [](loop& home) -> task<void> {
      auto server = http_server::listen(home, {});
      expect(server.has_value());
      if (!server) co_return;
      scope serving{co_await this_context()};
      serving.spawn(server->serve(echo, only_mine));
      co_await judged_by_the_head(server->local());
      serving.request_stop();
      co_await serving.join();
    };
    l.run(judged(l));
  };

  "FRZ-8 the bodies of all requests together are bounded, and small ones are always served"_test = [] {
    http_server_options small;
    small.max_body_bytes = 200'000;
    blocking_handler room;
    serve([&](server_exchange& call) { return wait_or_echo(room, call); },
          [&](endpoint at) { return bodies_together(room, at); }, small);
  };

  "stopped at every step, nothing is left"_test = [] {
    const auto steps = [](request_handler with, http_server_body visit) {
      return every_step([&](loop& l) { return serve_during(l, {}, with, visit); });
    };
    const std::string bytes = post("hello");
    static constexpr auto quietly = [](std::string text, endpoint at) -> task<void> {
      auto answer = co_await ask(at, text);
      ignore(answer, "stopped somewhere");
    };
    expect(steps(echo, [&](endpoint at) { return quietly(bytes, at); }) > 3_i);
    expect(steps(stream_three, [&](endpoint at) { return quietly(get, at); }) > 3_i);
    expect(steps(echo, [&](endpoint at) { return quietly("garbage\r\n\r\n", at); }) > 3_i);
  };
};

}  // namespace http_server_test

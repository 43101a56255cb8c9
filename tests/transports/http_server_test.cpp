// SPDX-License-Identifier: MIT
#include "../../transports/http_server.hpp"

#include <stdexcept>

#include "../../runtime/timeout.hpp"
#include "../support/every_step.hpp"
#include "../support/http_house.hpp"
#include "../support/manual_clock.hpp"
#include "../support/run.hpp"

namespace http_server_test {

using namespace hawser;
using namespace hawser::testing;
using namespace std::chrono_literals;

task<void> echo(http_call& call) {
  http_fields fields;
  fields.add("X-Method", call.request().method);
  fields.add("Content-Length", "999");  // is not believed
  call.reply(200, fields, call.request().target + '|' + std::string{call.body()});
  co_return;
}

task<void> stream_three(http_call& call) {
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

task<void> say_nothing(http_call&) { co_return; }
task<void> throw_something(http_call&) {
  throw std::runtime_error{"a bug"};
  co_return;
}
task<void> stop_in_the_middle(http_call& call) {
  http_fields none;
  call.begin(200, none);
  auto sent = co_await call.send("half");
  ignore(sent, "of no interest");
}

// Waits for ever, and notes how it was ended.
struct waiting_room {
  event entered;
  event left;
  errc how{};
};
task<void> wait_in(waiting_room& room, http_call& call) {
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

task<void> flood_in_advance(waiting_room& room, endpoint at) {
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

void serve(answer_request with, http_visit visit, http_server_options options = {}) {
  loop l;
  l.run(serve_during(l, std::move(options), std::move(with), std::move(visit)));
}
void serve(hawser::clock& by, answer_request with, http_visit visit, http_server_options options = {}) {
  loop l{loop::options{.clock = &by}};
  l.run(serve_during(l, std::move(options), std::move(with), std::move(visit)));
}

task<void> go_away(waiting_room& room, std::string request, endpoint at) {
  auto made = co_await connect_to({at});
  if (!made) co_return;
  made->write(request);
  auto entered = co_await room.entered.wait();
  ignore(entered, "the next line says it");
  co_await made->close();
  auto left = co_await room.left.wait();
  expect(left.has_value() && room.how == errc::cancelled);
}

task<void> cap_of_one(endpoint at) {
  auto first = co_await connect_to({at});
  if (!first) co_return;
  first->write(get);
  auto answer = co_await received_response::read(*first);
  expect(answer.has_value() && answer->status == 200);
  co_await refused_once(get, "HTTP/1.1 503 ", at);
  first->write(get);
  auto again = co_await received_response::read(*first);
  expect(again.has_value() && again->status == 200) << "the first is not disturbed";
  co_await first->close();
  co_await several_turns();
  auto third = co_await ask(at, get);
  expect(third.has_value() && third->status == 200) << "there is a place again";
}

// Writes the bytes and then waits; what the server says until it closes.
task<void> stall(std::string bytes, std::string begins, endpoint at) { co_await refused_once(bytes, begins, at); }

task<void> never_read(waiting_room& room, endpoint at) {
  auto made = co_await connect_to({at});
  if (!made) co_return;
  made->write(get);
  auto left = co_await room.left.wait();
  expect(left.has_value() && room.how == errc::timed_out);
  co_await made->close();
}
task<void> send_for_ever(waiting_room& room, http_call& call) {
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
    for (const answer_request& with : {answer_request{echo}, answer_request{stream_three}})
      serve(with, [&](endpoint at) -> task<void> {
        static constexpr auto ends = [](std::string bytes, endpoint to) -> task<void> {
          auto all = co_await ask_to_end(to, bytes);
          expect(all.has_value() && all->starts_with("HTTP/1.1 200 OK\r\n") && all->ends_with("\r\n\r\n"));
        };
        return ends(head, at);
      });
  };

  "a client that waits to be asked for its body is asked"_test = [] { serve(echo, expect_continue); };

  "who does not answer, or throws, has answered 500"_test = [] {
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

  "H07 who is slow, with head, body or nothing at all, is not waited for"_test = [] {
    const auto elapsed = [](std::string bytes, std::string begins) {
      manual_clock time;
      serve(time, echo, [&](endpoint at) { return stall(bytes, begins, at); });
      return time.elapsed();
    };
    expect(elapsed("GET / HTTP/1.1\r\nHo", "HTTP/1.1 408 ") >= 10s);
    expect(elapsed(post("hello").substr(0, post("hello").size() - 1), "HTTP/1.1 408 ") >= 60s);
    expect(elapsed("", "") >= 75s);
  };

  "a client that goes away stops what it asked for, also in the middle of a stream"_test = [] {
    for (const std::string target : {"/", "/stream"}) {
      waiting_room room;
      const std::string request = "GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n";
      serve([&](http_call& call) { return wait_in(room, call); },
            [&](endpoint at) { return go_away(room, request, at); });
    }
  };

  "H07 a client that floods ahead of its turn is cut off"_test = [] {
    waiting_room room;
    serve([&](http_call& call) { return wait_in(room, call); },
          [&](endpoint at) { return flood_in_advance(room, at); });
  };

  "a client that does not read its answer is given up"_test = [] {
    waiting_room room;
    manual_clock time;
    serve(
        time, [&](http_call& call) { return send_for_ever(room, call); },
        [&](endpoint at) { return never_read(room, at); });
    expect(time.elapsed() >= 30s);
  };

  "H07 one connection too many hears 503, and the others go on"_test = [] {
    http_server_options one;
    one.max_connections = 1;
    serve(echo, cap_of_one, one);
  };

  "stopped at every step, nothing is left"_test = [] {
    const auto steps = [](answer_request with, http_visit visit) {
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

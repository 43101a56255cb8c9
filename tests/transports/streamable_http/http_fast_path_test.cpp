// SPDX-License-Identifier: MIT
// Calls over a connection that is idle take a way of their own: it must lead to the same places.
#include <array>
#include <atomic>
#include <charconv>
#include <utility>

#include "../../../transports/streamable_http/http_channel.hpp"
#include "../../support/every_step.hpp"
#include "../../support/http_channel_fixture.hpp"

namespace http_fast_path_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::answer_to;
using testing::greets;
using testing::http_call_outcome;
using testing::http_channel_fixture;
using testing::received_request;
using testing::scripted_connection;
using testing::scripted_http_server;
using testing::with_http_channel;

// What a script does about a request; false: it ends the connection.
using reaction = std::function<bool(scripted_connection&, const received_request&)>;

scripted_http_server::script after_greeting(reaction one) {
  return [one](scripted_connection& with) {
    while (auto asked = with.request()) {
      if (greets(with, *asked)) continue;
      if (asked->body.find("\"warm\"") != std::string::npos) {
        with.json(answer_to(*asked));
      } else if (!one(with, *asked)) {
        return;
      }
    }
  };
}

// Legacy, so that there is a stream to wait for: the first call always goes by a coroutine, and whatever follows an
// answer finds its connection idle.
task<void> warm_up(http_channel_fixture& fixture, bool& fine) {
  const http_call_outcome greeted = co_await fixture.initialize();
  const http_call_outcome warm = co_await fixture.call("tools/call", R"({"name":"warm"})");
  fine = !greeted.failure && warm.result == R"({"ok":true})";
}

http_call_outcome outcome_of(const reaction& one, bool warm) {
  const scripted_http_server server{after_greeting(one)};
  http_call_outcome got;
  http_channel_options options;
  options.to = server.url();
  options.limits.max_message = 300'000;
  const auto visit = [&](http_channel_fixture& fixture) -> task<void> {
    if (warm) {
      bool fine = false;
      co_await warm_up(fixture, fine);
      expect(fine);
    } else {
      const http_call_outcome greeted = co_await fixture.initialize();
      expect(!greeted.failure.has_value()) << greeted.said();
    }
    got = co_await fixture.call("tools/call", R"({"name":"t"})");
  };
  with_http_channel(server, visit, options);
  return got;
}

struct example {
  const char* name;
  reaction answer;
};

std::string chunked(const std::string& body) {
  std::array<char, 16> size{};
  char* end = std::to_chars(size.data(), size.data() + size.size(), body.size(), 16).ptr;
  return std::string{size.data(), end} + "\r\n" + body + "\r\n0\r\n\r\n";
}

reaction says(std::string_view head, std::function<std::string(const received_request&)> body, bool stays = true) {
  return [head = std::string{head}, body = std::move(body), stays](scripted_connection& with,
                                                                   const received_request& asked) {
    with.say(head + "\r\n\r\n" + body(asked));
    return stays;
  };
}

reaction replies(std::string_view status, std::string_view type, std::string_view body, std::string_view more = {}) {
  return [status = std::string{status}, type = std::string{type}, body = std::string{body}, more = std::string{more}](
             scripted_connection& with, const received_request&) {
    with.reply(status, type, body, more);
    return true;
  };
}

std::vector<example> examples() {
  const auto answer = [](const received_request& asked) { return answer_to(asked); };
  const auto large = [](std::size_t size) {
    return [size](scripted_connection& with, const received_request& asked) {
      with.json(answer_to(asked, '"' + std::string(size, 'r') + '"'));
      return true;
    };
  };
  return {
      {"plain JSON",
       [](scripted_connection& with, const received_request& a) { return with.json(answer_to(a)), true; }},
      {"in pieces",
       [](scripted_connection& with, const received_request& a) {
         const std::string body = answer_to(a);
         with.slowly("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
                         std::to_string(body.size()) + "\r\n\r\n" + body,
                     0ms);
         return true;
       }},
      {"an error of the server's",
       [](scripted_connection& with, const received_request& a) {
         with.json(R"({"jsonrpc":"2.0","id":)" + a.id() + R"(,"error":{"code":-5,"message":"no"}})");
         return true;
       }},
      {"the id as a string",
       [](scripted_connection& with, const received_request& a) {
         with.json(R"({"jsonrpc":"2.0","id":")" + a.id() + R"(","result":{"ok":true}})");
         return true;
       }},
      {"an event",
       [](scripted_connection& with, const received_request& a) {
         with.reply("200 OK", "text/event-stream", "data: " + answer_to(a) + "\n\n");
         return true;
       }},
      {"chunks", says("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked",
                      [](const received_request& a) { return chunked(answer_to(a)); })},
      {"the last one",
       [](scripted_connection& with, const received_request& a) {
         return with.json(answer_to(a), "Connection: close\r\n"), false;
       }},
      {"up to the end", says("HTTP/1.1 200 OK\r\nContent-Type: application/json", answer, false)},
      {"large", large(200'000)},
      {"too large", large(400'000)},
      {"two answers", says("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 40",
                           [](const received_request& a) {
                             std::string body = answer_to(a);
                             return body + std::string(body.size() < 40 ? 40 - body.size() : 0, ' ') +
                                    "HTTP/1.1 200 OK\r\n\r\n";
                           })},
      {"cut off", says("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 4000", answer, false)},
      {"another's id", replies("200 OK", "application/json", R"({"jsonrpc":"2.0","id":77,"result":{}})")},
      {"a notification", replies("200 OK", "application/json", R"({"jsonrpc":"2.0","method":"notifications/x"})")},
      {"a batch", replies("200 OK", "application/json", R"([{"jsonrpc":"2.0","id":77,"result":{}}])")},
      {"no JSON", replies("200 OK", "application/json", "{\"jsonrpc\":")},
      {"nothing", replies("200 OK", "application/json", "")},
      {"another type", replies("200 OK", "text/html", "<p>")},
      {"gzip", replies("200 OK", "application/json", "{}", "Content-Encoding: gzip\r\n")},
      {"202", replies("202 Accepted", "text/plain", "")},
      {"401", replies("401 Unauthorized", "text/plain", "")},
      {"404", replies("404 Not Found", "text/plain", "")},
      {"500", replies("500 Broken", "text/html", "<p>")},
      {"a redirect elsewhere", replies("307 There", "text/plain", "", "Location: http://127.0.0.2:1/\r\n")},
      {"a redirect that changes the method", replies("303 There", "text/plain", "", "Location: /mcp\r\n")},
      {"no HTTP", says(
                      "SSH-2.0-OpenSSH", [](const received_request&) { return std::string{}; }, false)},
      {"the end instead", [](scripted_connection&, const received_request&) { return false; }},
  };
}

const suite<"http quick"> tests = [] {
  "an answer means the same over a connection that is idle as over a new one"_test = [] {
    for (const example& one : examples()) {
      const http_call_outcome slow = outcome_of(one.answer, false);
      const http_call_outcome quick = outcome_of(one.answer, true);
      expect(slow.result == quick.result) << one.name << slow.said() << quick.said();
      expect(slow.failure.has_value() == quick.failure.has_value()) << one.name << slow.said() << quick.said();
      if (!slow.failure || !quick.failure) continue;
      expect(slow.failure->code == quick.failure->code) << one.name << slow.said() << quick.said();
      expect(slow.failure->executed == quick.failure->executed) << one.name;
      expect(slow.failure->native == quick.failure->native) << one.name;
    }
  };

  "calls after each other and at once are answered each by its own, over no more connections than there are calls"_test =
      [] {
        const scripted_http_server server{after_greeting([](scripted_connection& with, const received_request& asked) {
          return with.json(answer_to(asked, asked.id())), true;
        })};
        with_http_channel(server, [](http_channel_fixture& fixture) -> task<void> {
          bool fine = false;
          co_await warm_up(fixture, fine);
          expect(fine);
          for (int round = 0; round < 20; ++round) {
            std::array<std::string, 5> got;
            scope at_once{co_await this_context()};
            for (std::string& into : got) {
              at_once.spawn([](http_channel_fixture& with, std::string& result) -> task<void> {
                std::int64_t id = 0;
                const call_options options{.id = &id};
                const http_call_outcome answer = co_await with.call("tools/call", R"({"name":"t"})", options);
                result = answer.result == std::to_string(id) ? "its own" : answer.said();
              }(fixture, into));
            }
            co_await at_once.join();
            for (const std::string& one : got) expect(one == "its own") << one;
          }
        });
        expect(server.connections() <= 7_i) << server.connections();  // and the stream's, and the notification's
      };

  "C05 a connection that ends as the request comes: a list is asked again, a call is not"_test = [] {
    for (const bool list : {true, false}) {
      std::atomic<int> ended = 0;
      const scripted_http_server server{after_greeting([&](scripted_connection& with, const received_request& asked) {
        if (ended++ == 0) return false;
        return with.json(answer_to(asked)), true;
      })};
      with_http_channel(server, [&](http_channel_fixture& fixture) -> task<void> {
        bool fine = false;
        co_await warm_up(fixture, fine);
        expect(fine);
        const http_call_outcome got = co_await fixture.call(list ? "tools/list" : "tools/call", R"({"name":"t"})");
        if (list) {
          expect(got.result == R"({"ok":true})") << got.said();
        } else {
          expect(got.failed_with(errc::closed, execution::unknown)) << got.said();
        }
      });
      expect(ended == (list ? 2 : 1));
    }
  };

  "T-19 a connection that answered another's call is not asked again"_test = [] {
    std::atomic<int> asked_first = 0;
    const scripted_http_server server{[&](scripted_connection& with) {
      bool behind = false;  // this connection, from its first call on
      while (auto asked = with.request()) {
        if (greets(with, *asked)) continue;
        const bool warm = asked->body.find("\"warm\"") != std::string::npos;
        behind = behind || (!warm && asked_first++ == 0);
        with.json(behind ? R"({"jsonrpc":"2.0","id":77,"result":{}})" : answer_to(*asked));
      }
    }};
    with_http_channel(server, [](http_channel_fixture& fixture) -> task<void> {
      bool fine = false;
      co_await warm_up(fixture, fine);
      expect(fine);
      const http_call_outcome wrong = co_await fixture.call("tools/call", R"({"name":"t"})");
      expect(wrong.failed_with(errc::protocol, execution::unknown)) << wrong.said();
      const http_call_outcome next = co_await fixture.call("tools/call", R"({"name":"t"})");
      expect(next.result == R"({"ok":true})") << next.said();
    });
  };

  "C32 a call that is given up is told of, and its connection is not used again"_test = [] {
    std::atomic<bool> closed = false;
    const scripted_http_server server{after_greeting([&](scripted_connection& with, const received_request&) {
      with.hang();
      closed = true;
      return false;
    })};
    with_http_channel(server, [&](http_channel_fixture& fixture) -> task<void> {
      bool fine = false;
      co_await warm_up(fixture, fine);
      expect(fine);
      const call_options hasty{.idle_timeout = 100ms};
      const http_call_outcome got = co_await fixture.call("tools/call", R"({"name":"t"})", hasty);
      expect(got.failed_with(errc::timed_out, execution::unknown)) << got.said();
      const bool ended = co_await http_channel_fixture::until(
          [&] { return closed.load() && server.asked("notifications/cancelled") == 1; });
      expect(ended);
      const http_call_outcome again = co_await fixture.call("tools/call", R"({"name":"warm"})");
      expect(again.result == R"({"ok":true})") << again.said();
    });
  };

  "a channel that is closed while a call waits ends the call, and leaves nothing"_test = [] {
    const scripted_http_server server{
        after_greeting([](scripted_connection& with, const received_request&) { return with.hang(), false; })};
    with_http_channel(server, [](http_channel_fixture& fixture) -> task<void> {
      bool fine = false;
      co_await warm_up(fixture, fine);
      expect(fine);
      http_call_outcome got;
      scope waiting{co_await this_context()};
      waiting.spawn([](http_channel_fixture& with, http_call_outcome& into) -> task<void> {
        into = co_await with.call("tools/call", R"({"name":"t"})");
      }(fixture, got));
      const bool sent = co_await http_channel_fixture::until([&] { return fixture.side.pending() == 1; });
      expect(sent);
      auto closed = co_await fixture.channel.close();
      expect(closed.has_value());
      co_await waiting.join();
      expect(got.failed_with(errc::closed, execution::unknown)) << got.said();
    });
  };

  "stopped at every step, a session of plain answers leaves nothing"_test = [] {
    const scripted_http_server server{after_greeting(
        [](scripted_connection& with, const received_request& asked) { return with.json(answer_to(asked)), true; })};
    const int steps = testing::every_step([&](loop& l) -> task<void> {
      http_channel_options options{.to = server.url()};
      testing::http_channel_body visit = [](http_channel_fixture& fixture) -> task<void> {
        bool fine = false;
        co_await warm_up(fixture, fine);
        if (!fine) co_return;
        for (int i = 0; i < 3; ++i) {
          const http_call_outcome got = co_await fixture.call("tools/call", R"({"name":"t"})");
          expect(got.result == R"({"ok":true})" || got.failure.has_value());
        }
      };
      co_await testing::run_with_http_channel(l, std::move(options), std::move(visit));
    });
    expect(steps > 5_i);
  };
};

}  // namespace http_fast_path_test

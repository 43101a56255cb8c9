// SPDX-License-Identifier: MIT
// One message, one POST: what answers mean in either era.
#include "../../../transports/streamable_http/http_channel.hpp"

#include <atomic>

#include "../../support/every_step.hpp"
#include "../../support/http_channel_fixture.hpp"
#include "../../support/memory_use.hpp"

namespace http_channel_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::answer_to;
using testing::greets;
using testing::http_call_outcome;
using testing::http_channel_body;
using testing::http_channel_fixture;
using testing::received_request;
using testing::scripted_connection;
using testing::scripted_http_server;
using testing::with_http_channel;

constexpr const char* meta = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"})";

scripted_http_server::script answering(std::function<void(scripted_connection&, const received_request&)> one) {
  return [one](scripted_connection& with) {
    while (auto asked = with.request()) {
      if (!greets(with, *asked)) one(with, *asked);
    }
  };
}

// What becomes of one request to a server that answers like this.
http_call_outcome outcome_of(std::function<void(scripted_connection&, const received_request&)> one,
                             bool modern = false, const std::string& method = "tools/call") {
  const scripted_http_server server{answering(std::move(one))};
  http_call_outcome got;
  with_http_channel(server, [&](http_channel_fixture& fixture) -> task<void> {
    if (modern) {
      fixture.modern();
    } else {
      const http_call_outcome greeted = co_await fixture.initialize();
      expect(!greeted.failure.has_value()) << greeted.said();
    }
    got = co_await fixture.call(method, modern ? "{\"name\":\"t\"," + std::string{meta} + '}' : R"({"name":"t"})");
  });
  return got;
}

void replies(scripted_connection& with, std::string_view status, std::string_view type, std::string_view body) {
  with.reply(status, type, body);
}

const suite<"http channel"> tests = [] {
  "a call of either era is one POST, answered by JSON or by an event"_test = [] {
    const http_call_outcome plain =
        outcome_of([](scripted_connection& with, const received_request& asked) { with.json(answer_to(asked)); }, true);
    expect(plain.result == R"({"ok":true})") << plain.said();
    const http_call_outcome event = outcome_of([](scripted_connection& with, const received_request& asked) {
      with.reply("200 OK", "Text/Event-Stream; charset=utf-8", ": hello\n\ndata: " + answer_to(asked) + "\n\n");
    });
    expect(event.result == R"({"ok":true})") << event.said();
  };

  "the legacy era has its version and session in every request but the first, and takes leave"_test = [] {
    scripted_http_server server{[](scripted_connection& with) {
      while (auto asked = with.request()) {
        if (!greets(with, *asked, "mcp-session-id: s3cret\r\n")) with.json(answer_to(*asked));
      }
    }};
    with_http_channel(server, [](http_channel_fixture& fixture) -> task<void> {
      const http_call_outcome greeted = co_await fixture.initialize();
      const http_call_outcome listed = co_await fixture.call("tools/list");
      expect(!greeted.failure.has_value() && !listed.failure.has_value()) << listed.said();
    });
    const std::vector<received_request> seen = server.seen();
    expect(seen.front().field("Mcp-Session-Id").empty() && seen.front().field("MCP-Protocol-Version").empty());
    for (std::size_t i = 1; i < seen.size(); ++i) {
      expect(seen[i].field("Mcp-Session-Id") == "s3cret") << seen[i].head;
      expect(seen[i].field("MCP-Protocol-Version") == "2025-11-25") << seen[i].head;
    }
    expect(std::any_of(seen.begin(), seen.end(), [](const received_request& one) { return one.is("DELETE"); }));
    expect(seen.front().field("Accept") == "application/json, text/event-stream");
  };

  "the modern era says method, name and version in header fields, in a form that any name survives"_test = [] {
    scripted_http_server server{
        answering([](scripted_connection& with, const received_request& asked) { with.json(answer_to(asked)); })};
    with_http_channel(server, [](http_channel_fixture& fixture) -> task<void> {
      fixture.modern();
      for (const std::string name : {"plain", "\\u00fcber", " spaced", "a\\nb", ""}) {
        const http_call_outcome got =
            co_await fixture.call("tools/call", "{\"name\":\"" + name + "\"," + std::string{meta} + '}');
        expect(!got.failure.has_value()) << got.said();
      }
    });
    std::vector<std::string> names;
    for (const received_request& one : server.seen()) {
      expect(one.field("Mcp-Method") == "tools/call" && one.field("MCP-Protocol-Version") == "2026-07-28");
      expect(one.field("Mcp-Session-Id").empty());
      names.push_back(one.field("Mcp-Name"));
    }
    expect(names == std::vector<std::string>{"plain",
                                             "=?base64?w7xiZXI=?=", "=?base64?IHNwYWNlZA==?=", "=?base64?YQpi?=",
                                             "=?base64?"
                                             "?="});
  };

  "C10 an answer of another type is an error that shows type and beginning"_test = [] {
    const http_call_outcome got = outcome_of([](scripted_connection& with, const received_request&) {
      replies(with, "200 OK", "text/html", "<h1>log in\x1b[31m</h1>" + std::string(1000, 'x'));
    });
    expect(got.failed_with(errc::protocol, execution::unknown)) << got.said();
    expect(got.mentions("text/html") && got.mentions("<h1>log in") && got.said().size() < 400_ul) << got.said();
    expect(!got.mentions("\x1b"));
  };

  "C11 202, 204 and an empty 200 are no answers to a request"_test = [] {
    for (const char* status : {"202 Accepted", "204 No Content", "200 OK"}) {
      const http_call_outcome got = outcome_of(
          [&](scripted_connection& with, const received_request&) { replies(with, status, "application/json", ""); });
      expect(got.failed_with(errc::protocol, execution::unknown)) << status << got.said();
    }
  };

  "C13 a refusal in JSON-RPC is the server's own word, with or without an id; an empty one is the transport's"_test =
      [] {
        for (const char* id : {"null", "7"}) {
          const http_call_outcome said = outcome_of(
              [&](scripted_connection& with, const received_request&) {
                replies(with, "400 Bad Request", "application/json",
                        std::string{R"({"jsonrpc":"2.0","id":)"} + id +
                            R"(,"error":{"code":-32022,"message":"which?","data":{"supported":[]}}})");
              },
              true);
          const execution executed = std::string_view{id} == "null" ? execution::no : execution::unknown;
          expect(said.failed_with(errc::remote, executed) && said.failure->native == -32022) << said.said();
          expect(said.failure->data == R"({"supported":[]})");
        }
        const http_call_outcome empty = outcome_of([](scripted_connection& with, const received_request&) {
          replies(with, "400 Bad Request", "text/plain", "");
        });
        expect(empty.failed_with(errc::protocol, execution::unknown) && empty.failure->native == 400) << empty.said();
      };

  "401 is a matter of logging in, 403 is not, 5xx is one of the network"_test = [] {
    const http_call_outcome unauthorized = outcome_of([](scripted_connection& with, const received_request&) {
      replies(with, "401 Unauthorized", "text/plain", "");
    });
    expect(unauthorized.failed_with(errc::auth, execution::no)) << unauthorized.said();
    const http_call_outcome forbidden = outcome_of(
        [](scripted_connection& with, const received_request&) { replies(with, "403 Forbidden", "text/plain", ""); });
    expect(forbidden.failed_with(errc::remote, execution::unknown)) << forbidden.said();
    const http_call_outcome got = outcome_of([](scripted_connection& with, const received_request&) {
      replies(with, "502 Bad Gateway", "text/html", "<p>");
    });
    expect(got.failed_with(errc::io, execution::unknown)) << got.said();
  };

  "C16 a session that the server forgot is said to be over, once, and the call was not executed"_test = [] {
    const scripted_http_server server{[](scripted_connection& with) {
      while (auto asked = with.request()) {
        if (!greets(with, *asked, "Mcp-Session-Id: gone\r\n")) with.reply("404 Not Found", "application/json", "{}");
      }
    }};
    with_http_channel(server, [](http_channel_fixture& fixture) -> task<void> {
      const http_call_outcome greeted = co_await fixture.initialize();
      expect(!greeted.failure.has_value()) << greeted.said();
      const http_call_outcome got = co_await fixture.call("tools/call", R"({"name":"t"})");
      expect(got.failed_with(errc::closed, execution::no)) << got.said();
      expect(fixture.heard.closed.size() == 1_ul);
    });
    for (const received_request& one : server.seen()) expect(!one.is("DELETE")) << "nobody to take leave of";
  };

  "C18 a list is requested again after 429 or 503 with Retry-After, three times in all"_test = [] {
    for (const char* after : {"0", "garbage", "Sun, 06 Nov 1994 08:49:37 GMT"}) {
      int refused = 0;
      const http_call_outcome got = outcome_of(
          [&](scripted_connection& with, const received_request& asked) {
            if (refused++ == 0) {
              with.reply("503 Busy", "text/plain", "", "Retry-After: " + std::string{after} + "\r\n");
            } else {
              with.json(answer_to(asked));
            }
          },
          false, "tools/list");
      expect(got.result == R"({"ok":true})" && refused == 2_i) << got.said();
    }
    int refused = 0;
    const http_call_outcome never = outcome_of(
        [&](scripted_connection& with, const received_request&) {
          ++refused;
          with.reply("429 Too Many", "text/plain", "", "Retry-After: 0\r\n");
        },
        false, "tools/list");
    expect(never.failed_with(errc::io, execution::no) && refused == 3_i) << never.said();
  };

  "C28 T-18 a session id that fits into no header field is refused"_test = [] {
    for (const std::string& id : {std::string{"with space"}, std::string{"\xc3\xa9"}, std::string(65'000, 'x')}) {
      const scripted_http_server server{[&](scripted_connection& with) {
        while (auto asked = with.request()) greets(with, *asked, "Mcp-Session-Id: " + id + "\r\n");
      }};
      with_http_channel(server, [](http_channel_fixture& fixture) -> task<void> {
        const http_call_outcome got = co_await fixture.initialize();
        expect(got.failure.has_value()) << got.said();
      });
    }
  };

  "C30 an encoded body is refused although somebody could read it"_test = [] {
    const http_call_outcome got = outcome_of([](scripted_connection& with, const received_request& asked) {
      with.json(answer_to(asked), "Content-Encoding: gzip\r\n");
    });
    expect(got.failed_with(errc::protocol, execution::unknown) && got.mentions("gzip")) << got.said();
  };

  "C32 a cancelled call closes its stream in the modern era, and is told of in the legacy one"_test = [] {
    for (const bool modern : {true, false}) {
      std::atomic<bool> closed = false;
      scripted_http_server server{answering([&](scripted_connection& with, const received_request&) {
        with.events();
        with.say(": alive\n\n");
        with.hang();
        closed = true;
      })};
      with_http_channel(server, [&](http_channel_fixture& fixture) -> task<void> {
        if (modern) {
          fixture.modern();
        } else {
          const http_call_outcome greeted = co_await fixture.initialize();
          expect(!greeted.failure.has_value()) << greeted.said();
        }
        const call_options hasty{.idle_timeout = 100ms};
        const http_call_outcome got =
            co_await fixture.call("tools/call", modern ? '{' + std::string{meta} + '}' : std::string{"{}"}, hasty);
        expect(got.failed_with(errc::timed_out, execution::unknown)) << got.said();
        const bool ended = co_await http_channel_fixture::until(
            [&] { return closed.load() && (modern || server.asked("notifications/cancelled") == 1); });
        expect(ended);
      });
      expect(server.asked("notifications/cancelled") == (modern ? std::size_t{0} : std::size_t{1}));
    }
  };

  "CLM-7 a pause of the stream on which a call is answered does not end the call before its own limits"_test = [] {
    const scripted_http_server server{answering([](scripted_connection& with, const received_request&) {
      with.events();
      with.say(": alive\n\n");
      with.hang();
    })};
    http_channel_options hurried;
    hurried.to = server.url();
    hurried.client.timeouts.silence = 20ms;
    const http_channel_body one_call = [](http_channel_fixture& fixture) -> task<void> {
      const http_call_outcome greeted = co_await fixture.initialize();
      expect(!greeted.failure.has_value()) << greeted.said();
      const call_options unhurried{.idle_timeout = 300ms};
      const http_call_outcome got = co_await fixture.call("tools/call", "{}", unhurried);
      expect(got.failed_with(errc::timed_out, execution::unknown) && got.mentions("300 ms")) << got.said();
    };
    with_http_channel(server, one_call, hurried);
  };

  "CLM-6 a call that is given up before any of it has left was not executed, and is not sent later"_test = [] {
    std::atomic<int> calls = 0;
    const scripted_http_server server{answering([&](scripted_connection& with, const received_request&) {
      ++calls;
      with.hang();
    })};
    http_channel_options narrow;
    narrow.to = server.url();
    narrow.client.max_connections = 1;  // the second call waits for the first one's
    const http_channel_body two_calls = [&](http_channel_fixture& fixture) -> task<void> {
      fixture.modern();
      const std::string params = '{' + std::string{meta} + '}';
      const call_options hasty{.idle_timeout = 50ms};
      scope first{co_await this_context()};
      first.spawn([](http_channel_fixture& with, std::string text) -> task<void> {
        const http_call_outcome given_up = co_await with.call("tools/call", std::move(text));
        expect(given_up.failed_with(errc::cancelled, execution::unknown)) << given_up.said();
      }(fixture, params));
      const bool there = co_await http_channel_fixture::until([&] { return calls.load() == 1; });
      expect(there);
      const http_call_outcome late = co_await fixture.call("tools/call", params, hasty);
      expect(late.failed_with(errc::timed_out, execution::no)) << late.said();
      first.request_stop();
      co_await first.join();
    };
    with_http_channel(server, two_calls, narrow);
    expect(calls.load() == 1_i) << calls.load();
  };

  "batches are understood in the one revision that has them"_test = [] {
    const scripted_http_server server{answering([](scripted_connection& with, const received_request& asked) {
      with.json(R"([{"jsonrpc":"2.0","method":"notifications/x"},)" + answer_to(asked) + ']');
    })};
    for (const char* revision : {"2025-03-26", "2025-06-18"}) {
      with_http_channel(server, [&](http_channel_fixture& fixture) -> task<void> {
        const http_call_outcome greeted = co_await fixture.initialize(revision);
        expect(!greeted.failure.has_value()) << greeted.said();
        const http_call_outcome got = co_await fixture.call("tools/list");
        expect(got.failure.has_value() == (std::string_view{revision} != "2025-03-26")) << got.said();
      });
    }
  };

  "T-38 in an endless line, event or body memory grows by less than twice the limit"_test = [] {
    for (const bool stream : {true, false}) {
      const std::size_t before = testing::memory_in_use();
      const scripted_http_server server{answering([&](scripted_connection& with, const received_request&) {
        if (stream) {
          with.events();
          with.say("data: ");
        } else {
          with.say("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
        }
        const std::string piece(65536, 'x');
        for (int i = 0; i < 2000; ++i) with.say(stream ? piece : "10000\r\n" + piece + "\r\n");
      })};
      constexpr std::size_t limit = std::size_t{16} << 20;
      std::size_t most = before;
      with_http_channel(server, [&](http_channel_fixture& fixture) -> task<void> {
        fixture.modern();
        const http_call_outcome got = co_await fixture.call("tools/call", '{' + std::string{meta} + '}');
        most = std::max(most, testing::memory_in_use());
        expect(got.failed_with(errc::too_large, execution::unknown)) << got.said();
      });
      expect(most < before + 2 * limit / 1024) << before << most;
    }
  };

  "stopped at every step a session leaves nothing"_test = [] {
    const scripted_http_server server{answering([](scripted_connection& with, const received_request& asked) {
      with.reply("200 OK", "text/event-stream", "data: " + answer_to(asked) + "\n\n");
    })};
    const int steps = testing::every_step([&](loop& l) -> task<void> {
      http_channel_options options{.to = server.url()};
      testing::http_channel_body visit = [](http_channel_fixture& fixture) -> task<void> {
        const http_call_outcome greeted = co_await fixture.initialize();
        if (greeted.failure) co_return;
        const http_call_outcome got = co_await fixture.call("tools/list");
        expect(got.result == R"({"ok":true})" || got.failure.has_value());
      };
      co_await testing::run_with_http_channel(l, std::move(options), std::move(visit));
    });
    expect(steps > 5_i);
  };
};

}  // namespace http_channel_test

// SPDX-License-Identifier: MIT
// Which stream an answer is accepted on, and that the end of a call is the end of its POST and connection.
#include <array>
#include <atomic>
#include <charconv>

#include "../../../runtime/async/scope.hpp"
#include "event_streams.hpp"

namespace http_release_test {

using namespace hawser;
using namespace hawser::testing;
using namespace hawser::testing::event_streams;
using namespace std::chrono_literals;

// A server of 2024-11-05: the GET is the stream of events, `posted` does the rest.
class sse_server {
 public:
  using handler = std::function<void(sse_server&, scripted_connection&, const received_request&)>;
  explicit sse_server(handler posted)
      : script([this, posted](scripted_connection& with) {
          while (auto asked = with.request()) {
            if (!asked->is("GET")) {
              posted(*this, with, *asked);
              continue;
            }
            stream_ = &with;
            with.events();
            with.say("event: endpoint\ndata: /message\n\n");
            with.hang();
            return;
          }
        }) {}

  void send_event(std::string_view message) { stream_.load()->say(sse_event_text(message)); }

 private:
  std::atomic<scripted_connection*> stream_ = nullptr;

 public:
  const scripted_http_server script;
};

std::string hexadecimal(std::size_t number) {
  std::array<char, 16> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr};
}

http_channel_options old_transport() {
  http_channel_options options;
  options.type = http_channel_options::kind::sse;
  return options;
}

const suite<"http release"> tests = [] {
  "CLM-5 an answer on the stream for unsolicited messages is dropped; the call gets the one on its own stream"_test =
      [] {
        std::atomic<scripted_connection*> stream = nullptr;
        std::atomic<bool> delivered = false;
        const scripted_http_server server{[&](scripted_connection& with) {
          while (auto asked = with.request()) {
            if (asked->is("GET")) {
              with.events();
              stream = &with;
              with.hang();
              return;
            }
            if (!asked->asks("tools/call")) {
              greets(with, *asked);
              continue;
            }
            stream.load()->say(sse_event_text(answer_to(*asked, R"({"wrong":1})")) + sse_event_text(note("marker")));
            while (!delivered) std::this_thread::sleep_for(2ms);
            with.json(answer_to(*asked));
          }
        }};
        with_http_channel(server, [&](http_channel_fixture& fixture) -> task<void> {
          const http_call_outcome greeted = co_await fixture.initialize();
          expect(!greeted.failure.has_value()) << greeted.said();
          const bool listening = co_await http_channel_fixture::until([&] { return stream.load() != nullptr; });
          expect(fatal(listening));
          http_call_outcome got;
          scope calls{co_await this_context()};
          calls.spawn([](http_channel_fixture& of, http_call_outcome& into) -> task<void> {
            into = co_await of.call("tools/call", R"({"name":"t"})");
          }(fixture, got));
          const bool read = co_await http_channel_fixture::until([&] { return !fixture.heard.notifications.empty(); });
          expect(read);
          delivered = true;
          co_await calls.join();
          expect(got.result == R"({"ok":true})") << got.said();
          expect(fixture.channel.misrouted_responses() == 1_ul);
        });
      };

  "CLM-5 the POST of a call that is given up silently is released"_test = [] {
    std::atomic<int> closed = 0;
    const scripted_http_server server{[&](scripted_connection& with) {
      while (auto asked = with.request()) {
        if (asked->body.find("\"warm\"") != std::string::npos) {
          with.json(answer_to(*asked));
          continue;
        }
        with.hang();
        ++closed;
        return;
      }
    }};
    with_http_channel(server, [&](http_channel_fixture& fixture) -> task<void> {
      const call_options hasty{.idle_timeout = 100ms, .on_abandon = call_options::cancellation_notice::omit};
      for (const bool idle_connection : {false, true}) {
        if (idle_connection) {
          const http_call_outcome warm = co_await fixture.call("ping", R"({"name":"warm"})");
          expect(!warm.failure.has_value()) << warm.said();
        }
        const http_call_outcome got = co_await fixture.call("server/discover", "{}", hasty);
        expect(got.failed_with(errc::timed_out, execution::unknown)) << got.said();
        const bool ended = co_await http_channel_fixture::until([&] { return closed == (idle_connection ? 2 : 1); });
        expect(ended) << "the connection is closed";
      }
    });
    expect(server.asked("notifications/cancelled") == 0_ul);
  };

  "CLM-5 when a session ends, the POSTs of all its calls are released"_test = [] {
    std::atomic<bool> waiting = false;
    std::atomic<bool> closed = false;
    const scripted_http_server server{[&](scripted_connection& with) {
      while (auto asked = with.request()) {
        if (greets(with, *asked, "Mcp-Session-Id: s\r\n")) continue;
        if (asked->body.find("\"slow\"") == std::string::npos) {
          with.reply("404 Not Found", "text/plain", "");
          continue;
        }
        waiting = true;
        with.hang();
        closed = true;
        return;
      }
    }};
    with_http_channel(server, [&](http_channel_fixture& fixture) -> task<void> {
      const http_call_outcome greeted = co_await fixture.initialize();
      expect(!greeted.failure.has_value()) << greeted.said();
      http_call_outcome slow;
      scope calls{co_await this_context()};
      calls.spawn([](http_channel_fixture& of, http_call_outcome& into) -> task<void> {
        into = co_await of.call("tools/call", R"({"name":"slow"})");
      }(fixture, slow));
      const bool sent = co_await http_channel_fixture::until([&] { return waiting.load(); });
      expect(sent);
      const http_call_outcome refused = co_await fixture.call("tools/call", R"({"name":"t"})");
      expect(refused.failed_with(errc::closed, execution::no)) << refused.said();
      co_await calls.join();
      expect(slow.failed_with(errc::closed, execution::unknown)) << slow.said();
      const bool ended = co_await http_channel_fixture::until([&] { return closed.load(); });
      expect(ended) << "before the channel is closed";
    });
  };

  "NET-4 a stream that is left open behind its answer keeps no place and no connection"_test = [] {
    std::atomic<int> closed = 0;
    const scripted_http_server server{[&](scripted_connection& with) {
      while (auto asked = with.request()) {
        if (greets(with, *asked)) continue;
        const std::string event = sse_event_text(answer_to(*asked));
        with.say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
        with.say(hexadecimal(event.size()) + "\r\n" + event + "\r\n");
        with.hang();
        ++closed;
        return;
      }
    }};
    http_channel_options narrow;
    narrow.client.max_connections = 1;
    with_http_channel(
        server,
        [&](http_channel_fixture& fixture) -> task<void> {
          const auto before = std::chrono::steady_clock::now();
          for (int i = 0; i < 10; ++i) {
            const http_call_outcome got =
                co_await (i == 0 ? legacy_call(fixture) : fixture.call("tools/call", R"({"name":"t"})"));
            expect(got.result == R"({"ok":true})") << got.said();
          }
          expect(std::chrono::steady_clock::now() - before < 10s);
          const bool released = co_await http_channel_fixture::until([&] { return closed == 10; });
          expect(released) << closed.load();
        },
        narrow);
  };

  "CLM-5 over HTTP+SSE the POST of a call that was answered on the stream is released"_test = [] {
    std::atomic<bool> closed = false;
    sse_server server{[&](sse_server& self, scripted_connection& with, const received_request& asked) {
      if (!asked.asks("tools/call")) {
        with.reply("202 Accepted", "text/plain", "");
        if (!asked.id().empty()) self.send_event(answer_to(asked));
        return;
      }
      self.send_event(answer_to(asked));
      with.hang();  // the POST itself is never answered
      closed = true;
    }};
    http_channel_options options = old_transport();
    options.to = server.script.url("/sse");
    with_http_channel(
        server.script,
        [&](http_channel_fixture& fixture) -> task<void> {
          const http_call_outcome got = co_await legacy_call(fixture);
          expect(got.result == R"({"ok":true})") << got.said();
          const bool ended = co_await http_channel_fixture::until([&] { return closed.load(); });
          expect(ended);
          const http_call_outcome next = co_await fixture.call("ping");
          expect(next.result == R"({"ok":true})") << next.said();
        },
        options);
  };

  "CLM-5 over HTTP+SSE a server is told of a call that is given up after its POST was accepted"_test = [] {
    sse_server server{[](sse_server& self, scripted_connection& with, const received_request& asked) {
      with.reply("202 Accepted", "text/plain", "");
      if (asked.asks("initialize")) self.send_event(answer_to(asked));
    }};
    http_channel_options options = old_transport();
    options.to = server.script.url("/sse");
    with_http_channel(
        server.script,
        [&](http_channel_fixture& fixture) -> task<void> {
          const http_call_outcome got = co_await legacy_call(fixture, call_options{.idle_timeout = 200ms});
          expect(got.failed_with(errc::timed_out, execution::unknown)) << got.said();
          const bool told =
              co_await http_channel_fixture::until([&] { return server.script.asked("notifications/cancelled") == 1; });
          expect(told);
        },
        options);
  };
};

}  // namespace http_release_test

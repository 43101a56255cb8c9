// SPDX-License-Identifier: MIT
// Streams of events: broken, resumed, replayed, endless.
#include <algorithm>
#include <atomic>
#include <random>

#include "../../../runtime/async/when.hpp"
#include "event_streams.hpp"

namespace http_streams_test {

using namespace hawser;
using namespace hawser::testing;
using namespace hawser::testing::event_streams;
using namespace std::chrono_literals;

constexpr const char* meta = R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})";

const suite<"http streams"> tests = [] {
  "C19 a stream that ends before the answer: its fate is unknown where nothing can be resumed"_test = [] {
    for (const bool reset : {false, true}) {
      const scripted_http_server server{legacy([&](scripted_connection& with, const received_request& asked) {
        if (!asked.asks("tools/call")) return false;
        with.events();
        with.say(sse_event_text(note("x")));
        if (reset) with.reset();
        return true;
      })};
      with_http_channel(server, [](http_channel_fixture& fixture) -> task<void> {
        const http_call_outcome got = co_await legacy_call(fixture);
        expect(got.failure.has_value() && got.failure->executed == execution::unknown) << got.said();
      });
    }
    const scripted_http_server modern{[](scripted_connection& with) {
      if (!with.request()) return;
      with.events();
      with.say(sse_event_text(note("x"), "5"));
    }};
    with_http_channel(modern, [](http_channel_fixture& fixture) -> task<void> {
      fixture.modern();
      const http_call_outcome got = co_await fixture.call("tools/call", meta);
      expect(got.failed_with(errc::closed, execution::unknown)) << got.said();
    });
    expect(modern.connections() == 1_i) << "the modern era resumes nothing";
  };

  "C19 C20 with event ids it is resumed after the server's pause; what is replayed counts once, foreign answers not"_test =
      [] {
        std::string call_id;
        time_point closed_at{};
        time_point resumed_at{};
        std::string position;
        scripted_http_server server{legacy([&](scripted_connection& with, const received_request& asked) {
          if (asked.asks("tools/call")) {
            call_id = asked.id();
            with.events();
            with.say("retry: 300\n" + sse_event_text(note("first"), "1") + "id: 2\ndata:\n\n");
            closed_at = std::chrono::steady_clock::now();
            return true;
          }
          if (!asked.is("GET") || asked.field("Last-Event-ID").empty()) return false;
          resumed_at = std::chrono::steady_clock::now();
          position = asked.field("Last-Event-ID");
          with.events();
          with.say(sse_event_text(note("first"), "1") + sse_event_text(note("second"), "3") +
                   sse_event_text(R"({"jsonrpc":"2.0","id":999,"result":{}})", "4") +
                   sse_event_text(R"({"jsonrpc":"2.0","id":)" + call_id + R"(,"result":{"late":1}})", "5"));
          return true;
        })};
        with_http_channel(server, [&](http_channel_fixture& fixture) -> task<void> {
          const http_call_outcome got = co_await legacy_call(fixture);
          expect(got.result == R"({"late":1})") << got.said();
          expect(fixture.heard.notifications ==
                 std::vector<std::string>{"notifications/first ", "notifications/second "});
          expect(fixture.channel.misrouted_responses() == 1_ul);
        });
        expect(position == "2") << position;
        expect(resumed_at - closed_at > 250ms && resumed_at - closed_at < 10s);
      };

  "a short event behind a long one is read when it comes, and not when more has come than the long one had"_test = [] {
    const scripted_http_server server{legacy([](scripted_connection& with, const received_request& asked) {
      if (!asked.asks("tools/call")) return false;
      with.events();
      with.say(sse_event_text(note(std::string(100'000, 'x'))));
      std::this_thread::sleep_for(50ms);
      with.say(sse_event_text(answer_to(asked)));
      with.hang();
      return true;
    })};
    with_http_channel(server, [](http_channel_fixture& fixture) -> task<void> {
      call_options patient{.idle_timeout = 5s, .hard_timeout = 5s};
      const http_call_outcome got = co_await legacy_call(fixture, std::move(patient));
      expect(got.result == R"({"ok":true})") << got.said();
    });
  };

  "a call waits until the server's own stream has begun, on which it may ask something; but not for long"_test = [] {
    for (const auto delay : {100ms, 10'000ms}) {
      std::atomic<bool> begun = false;
      std::atomic<bool> begun_before_call = false;
      const scripted_http_server server{legacy([&](scripted_connection& with, const received_request& asked) {
        if (asked.asks("tools/call")) begun_before_call = begun.load();
        if (!asked.is("GET")) return false;
        if (delay < 1s) {
          std::this_thread::sleep_for(delay);
          begun = true;
          with.events();
        }
        with.hang();
        return true;
      })};
      const auto before = std::chrono::steady_clock::now();
      with_http_channel(server, [](http_channel_fixture& fixture) -> task<void> {
        const http_call_outcome got = co_await legacy_call(fixture);
        expect(got.result == R"({"ok":true})") << got.said();
      });
      expect(begun_before_call.load() == (delay < 1s)) << delay / 1ms;
      expect(std::chrono::steady_clock::now() - before < 3s);
    }
  };

  "C20 a refused resumption ends the call; nobody waits for ever"_test = [] {
    const scripted_http_server server{legacy([](scripted_connection& with, const received_request& asked) {
      if (!asked.asks("tools/call")) return false;
      with.events();
      with.say("retry: 1\n" + sse_event_text(note("x"), "1"));
      return true;
    })};
    with_http_channel(server, [](http_channel_fixture& fixture) -> task<void> {
      const http_call_outcome got = co_await legacy_call(fixture);
      expect(got.failure.has_value() && got.failure->executed == execution::unknown && got.mentions("405"))
          << got.said();
    });
  };

  "NET-5 a server that has the client poll for an answer is polled for as long as the call may take"_test = [] {
    std::atomic<int> polls = 0;
    std::string call_id;
    const scripted_http_server server{legacy([&](scripted_connection& with, const received_request& asked) {
      if (asked.asks("tools/call")) call_id = asked.id();
      const bool resumes = asked.is("GET") && !asked.field("Last-Event-ID").empty();
      if (!resumes && !asked.asks("tools/call")) return false;
      with.events();
      with.say("retry: 1\nid: " + std::to_string(polls.load()) + "\ndata:\n\n");
      if (resumes && ++polls == 15)
        with.say(sse_event_text(R"({"jsonrpc":"2.0","id":)" + call_id + R"(,"result":{"ok":true}})", "last"));
      return true;
    })};
    with_http_channel(server, [](http_channel_fixture& fixture) -> task<void> {
      const http_call_outcome got = co_await legacy_call(fixture);
      expect(got.result == R"({"ok":true})") << got.said();
    });
    expect(polls.load() == 15_i);
  };

  "C21 a stream that the server closes at once, for ever, is left alone more and more; calls do not care"_test = [] {
    std::atomic<int> gets = 0;
    const scripted_http_server server{legacy([&](scripted_connection& with, const received_request& asked) {
      if (!asked.is("GET")) return false;
      ++gets;
      with.events();
      return true;
    })};
    with_http_channel(server, [&](http_channel_fixture& fixture) -> task<void> {
      for (int i = 0; i < 15; ++i) {
        const http_call_outcome got =
            co_await (i == 0 ? legacy_call(fixture) : fixture.call("tools/call", R"({"name":"t"})"));
        expect(got.result == R"({"ok":true})") << got.said();
        auto slept = co_await sleep_for(100ms);
        expect(slept.has_value());
      }
    });
    expect(gets.load() >= 1_i && gets.load() <= 3_i) << gets.load();
  };

  "NET-1 a server with a session that answers the GET with 404 offers no stream, and its session lasts"_test = [] {
    const scripted_http_server server{[](scripted_connection& with) {
      while (auto asked = with.request()) {
        if (asked->is("GET")) {
          with.reply("404 Not Found", "text/html", "Cannot GET /mcp");
        } else if (!greets(with, *asked, "Mcp-Session-Id: s\r\n")) {
          with.json(answer_to(*asked));
        }
      }
    }};
    with_http_channel(server, [&](http_channel_fixture& fixture) -> task<void> {
      int answered = 0;
      for (int i = 0; i < 20; ++i) {
        const http_call_outcome got =
            co_await (i == 0 ? legacy_call(fixture) : fixture.call("tools/call", R"({"name":"t"})"));
        answered += got.result == R"({"ok":true})" ? 1 : 0;
      }
      expect(answered == 20_i);
      expect(fixture.heard.closed.empty());
    });
    const std::vector<received_request> seen = server.seen();
    const auto gets =
        std::count_if(seen.begin(), seen.end(), [](const received_request& one) { return one.is("GET"); });
    expect(gets == 1_i) << "it is not asked for again";
    expect(server.asked("initialize") == 1_ul);
  };

  "NET-1 404 for a stream that there was ends the session only if a POST gets 404, too"_test = [] {
    for (const bool gone : {true, false}) {
      std::atomic<int> gets = 0;
      const scripted_http_server server{[&](scripted_connection& with) {
        while (auto asked = with.request()) {
          if (asked->is("GET") && gets++ == 0) {
            with.events();
            with.say("retry: 100\n" + sse_event_text(note("x")));
            return;
          }
          if (asked->is("GET") || (gone && gets > 1)) {
            with.reply("404 Not Found", "text/plain", "");
          } else if (!greets(with, *asked, "Mcp-Session-Id: s\r\n")) {
            with.json(answer_to(*asked));
          }
        }
      }};
      with_http_channel(server, [&](http_channel_fixture& fixture) -> task<void> {
        const http_call_outcome greeted = co_await fixture.initialize();
        expect(!greeted.failure.has_value()) << greeted.said();
        const bool noticed = co_await http_channel_fixture::until(
            [&] { return server.asked("ping") == 1 && (!gone || !fixture.heard.closed.empty()); });
        expect(noticed);
        if (gone) {
          expect(fixture.heard.closed == std::vector<std::string>{"the server has forgotten the session"});
          co_return;
        }
        const http_call_outcome got = co_await fixture.call("tools/call", R"({"name":"t"})");
        expect(got.result == R"({"ok":true})") << got.said();
        expect(fixture.heard.closed.empty());
      });
    }
  };

  "C22 the pause a server asks for is kept within bounds"_test = [] {
    std::atomic<int> gets = 0;
    const scripted_http_server server{legacy([&](scripted_connection& with, const received_request& asked) {
      if (!asked.is("GET")) return false;
      ++gets;
      with.events();
      with.say("retry: 0\nretry: -1\nretry: soon\n" + sse_event_text(note("x")));
      return true;
    })};
    with_http_channel(server, [&](http_channel_fixture& fixture) -> task<void> {
      const http_call_outcome got = co_await legacy_call(fixture);
      expect(!got.failure.has_value());
      const auto begin = std::chrono::steady_clock::now();
      const int before = gets.load();
      const bool again = co_await http_channel_fixture::until([&] { return gets.load() >= before + 3; });
      expect(again) << "0 is no reason never to come back";
      expect(std::chrono::steady_clock::now() - begin > 180ms) << "nor for coming back at once";
    });
  };

  "C24 an event id that would split a header is never sent"_test = [] {
    std::vector<std::string> positions;
    const scripted_http_server server{legacy([&](scripted_connection& with, const received_request& asked) {
      if (asked.is("GET") && !asked.field("Last-Event-ID").empty()) {
        positions.push_back(asked.field("Last-Event-ID"));
        with.reply("405 No", "text/plain", "");
        return true;
      }
      if (!asked.asks("tools/call")) return false;
      with.events();
      with.say("retry: 1\n" + sse_event_text(note("x"), "good") + sse_event_text(note("y"), "\x01 bad"));
      with.say(std::string{"id: nul\0l\ndata: 1\n\n", 19});
      return true;
    })};
    with_http_channel(server, [](http_channel_fixture& fixture) -> task<void> {
      const http_call_outcome got = co_await legacy_call(fixture);
      expect(got.failure.has_value());
    });
    for (const std::string& one : positions) expect(one == "good") << one;
  };

  "C25 comments keep a stream alive, but no call beyond its longest time"_test = [] {
    const scripted_http_server server{legacy([](scripted_connection& with, const received_request& asked) {
      if (!asked.asks("tools/call")) return false;
      with.events();
      with.slowly(std::string(2000, ':') + '\n', 1ms);
      return true;
    })};
    with_http_channel(server, [](http_channel_fixture& fixture) -> task<void> {
      const call_options bounded{.idle_timeout = 10s, .hard_timeout = 300ms};
      const http_call_outcome got = co_await legacy_call(fixture, bounded);
      expect(got.failed_with(errc::timed_out, execution::unknown)) << got.said();
    });
  };

  "C33 connections reset at random points: a thousand calls, each answered exactly once"_test = [] {
    std::atomic<int> executed = 0;
    const scripted_http_server server{[&](scripted_connection& with) {
      std::minstd_rand chance{static_cast<unsigned>(with.nth) + 1};
      while (auto asked = with.request()) {
        const unsigned dice = chance() % 8;
        ++executed;
        if (dice == 0) return with.reset();  // nothing said
        const std::string answer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
                                   std::to_string(answer_to(*asked).size()) + "\r\n\r\n" + answer_to(*asked);
        if (dice == 1) {
          with.say(std::string_view{answer}.substr(0, chance() % answer.size()));
          return with.reset();
        }
        with.say(answer);
        if (dice == 2) return with.reset();
      }
    }};
    int good = 0;
    int unknown = 0;
    int unsent = 0;
    with_http_channel(server, [&](http_channel_fixture& fixture) -> task<void> {
      fixture.modern();
      for (int round = 0; round < 50; ++round) {
        std::vector<task<http_call_outcome>> calls;
        for (int i = 0; i < 20; ++i) calls.push_back(fixture.call("tools/call", meta));
        const std::vector<http_call_outcome> got = co_await when_all(std::move(calls));
        for (const http_call_outcome& one : got) {
          if (!one.failure) {
            ++good;
          } else if (one.failure->executed == execution::unknown) {
            ++unknown;
          } else {
            ++unsent;
          }
        }
      }
      expect(fixture.side.pending() == 0_ul);
    });
    expect(good + unknown + unsent == 1000_i);
    expect(good > 500_i && unknown > 50_i) << good << unknown << unsent;
    // Nothing that is said not to have been executed was.
    expect(executed.load() >= good && executed.load() <= good + unknown) << executed.load() << good << unknown;
  };
};

}  // namespace http_streams_test

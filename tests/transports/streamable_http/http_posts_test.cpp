// SPDX-License-Identifier: MIT
// What is posted and waits for no answer, notifications and answers of ours: how many, how long, and what they keep
// back.
#include <atomic>

#include "../../../runtime/async/timeout.hpp"
#include "event_streams.hpp"

namespace http_posts_test {

using namespace hawser;
using namespace hawser::testing;
using namespace hawser::testing::event_streams;
using namespace std::chrono_literals;

// Counts the connections that are open.
class open_counter {
 public:
  explicit open_counter(std::atomic<int>& open) : open_(open) { ++open_; }
  open_counter(const open_counter&) = delete;
  open_counter& operator=(const open_counter&) = delete;
  ~open_counter() { --open_; }

 private:
  std::atomic<int>& open_;
};

constexpr std::string_view chunked_events =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

const suite<"http posts"> tests = [] {
  "NET-2 a 2xx head in answer to notifications/initialized is enough for what waits behind it"_test = [] {
    for (const std::string_view head :
         {std::string_view{"HTTP/1.1 202 Accepted\r\n\r\n"}, chunked_events,
          std::string_view{"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"}}) {
      std::atomic<bool> closed = false;
      const scripted_http_server server{[&](scripted_connection& with) {
        while (auto asked = with.request()) {
          if (asked->asks("notifications/initialized")) {
            with.say(head);
            with.hang();
            closed = true;
            return;
          }
          if (!greets(with, *asked)) with.json(answer_to(*asked));
        }
      }};
      http_channel_options options;
      options.initialized_timeout = 10min;
      with_http_channel(
          server,
          [&](http_channel_fixture& fixture) -> task<void> {
            const http_call_outcome got = co_await legacy_call(fixture, call_options{.idle_timeout = 10s});
            expect(got.result == R"({"ok":true})") << head << got.said();
            const bool released = co_await http_channel_fixture::until([&] { return closed.load(); });
            expect(released) << "the connection of a body that does not end is closed: " << head;
          },
          options);
    }
  };

  "NET-2 a server that never answers notifications/initialized is called all the same, after a while"_test = [] {
    std::atomic<bool> asked_for_stream = false;
    const scripted_http_server server{[&](scripted_connection& with) {
      while (auto asked = with.request()) {
        asked_for_stream = asked_for_stream || asked->is("GET");
        if (asked->asks("notifications/initialized")) return with.hang();
        if (!greets(with, *asked)) with.json(answer_to(*asked));
      }
    }};
    http_channel_options options;
    options.initialized_timeout = 100ms;
    with_http_channel(
        server,
        [&](http_channel_fixture& fixture) -> task<void> {
          const http_call_outcome got = co_await legacy_call(fixture, call_options{.idle_timeout = 10s});
          expect(got.result == R"({"ok":true})") << got.said();
          expect(asked_for_stream.load());
        },
        options);
    expect(http_channel_options{}.initialized_timeout == 5s);
  };

  "FRZ-5 a server that asks and accepts no answer gets few connections, for a limited time, and calls go on"_test = [] {
    constexpr int pings = 300;
    std::atomic<int> open = 0;
    std::atomic<int> most = 0;
    std::atomic<int> stuck = 0;
    std::atomic<int> given_up = 0;
    const scripted_http_server server{[&](scripted_connection& with) {
      const open_counter one{open};
      while (auto asked = with.request()) {
        for (int now = open, before = most; now > before && !most.compare_exchange_weak(before, now);) {
        }
        if (asked->is("GET")) {
          with.events();
          for (int i = 0; i < pings; ++i)
            with.say(sse_event_text(R"({"jsonrpc":"2.0","id":"p)" + std::to_string(i) + R"(","method":"ping"})"));
          return with.hang();
        }
        if (asked->body.find(R"("id":"p)") != std::string::npos) {
          ++stuck;
          with.hang();
          ++given_up;
          return;
        }
        if (!greets(with, *asked)) with.json(answer_to(*asked));
      }
    }};
    http_channel_options options;
    options.post_timeout = 1s;
    with_http_channel(
        server,
        [&](http_channel_fixture& fixture) -> task<void> {
          const http_call_outcome first = co_await legacy_call(fixture);
          expect(first.result == R"({"ok":true})") << first.said();
          const bool heard =
              co_await http_channel_fixture::until([&] { return fixture.heard.answers.size() == pings; });
          expect(heard) << fixture.heard.answers.size();
          for (auto& one : fixture.heard.answers) one.result("{}");
          const bool sent = co_await http_channel_fixture::until([&] { return stuck >= 8; });
          expect(sent) << stuck.load();
          const http_call_outcome got = co_await fixture.call("tools/call", R"({"name":"t"})");
          expect(got.result == R"({"ok":true})") << got.said();
          const bool released = co_await http_channel_fixture::until([&] { return given_up >= 8; });
          expect(released) << given_up.load();
        },
        options);
    expect(most.load() <= 24_i) << most.load()
                                << "8 for the answers, one for the stream, those for calls, and closed ones";
  };

  "FRZ-5 what exceeds the limit of messages that a server has not accepted is dropped, and later ones are sent"_test =
      [] {
        std::atomic<bool> accepts = false;
        const scripted_http_server server{[&](scripted_connection& with) {
          while (auto asked = with.request()) {
            if (asked->asks("notifications/flood") && !accepts) return with.hang();
            if (!greets(with, *asked)) with.json(answer_to(*asked));
          }
        }};
        http_channel_options options;
        options.post_timeout = 1s;
        options.max_unaccepted = 20;
        with_http_channel(
            server,
            [&](http_channel_fixture& fixture) -> task<void> {
              const http_call_outcome first = co_await legacy_call(fixture);
              expect(first.result == R"({"ok":true})") << first.said();
              for (int i = 0; i < 200; ++i) fixture.side.notify("notifications/flood");
              const std::size_t queued = fixture.channel.queued();
              expect(queued > 0_ul && queued <= 2000_ul) << queued;
              auto drained = co_await with_timeout(20s, fixture.channel.drained());
              expect(drained.has_value());
              expect(server.asked("notifications/flood") <= 20_ul) << server.asked("notifications/flood");
              accepts = true;
              fixture.side.notify("notifications/late");
              const bool arrived =
                  co_await http_channel_fixture::until([&] { return server.asked("notifications/late") == 1; });
              expect(arrived);
            },
            options);
      };

  "FRZ-5 calls that time out leave no connection behind, however their cancellation is answered"_test = [] {
    std::atomic<int> open = 0;
    const scripted_http_server server{[&](scripted_connection& with) {
      const open_counter one{open};
      while (auto asked = with.request()) {
        if (asked->asks("tools/call") || asked->asks("notifications/cancelled")) return with.hang();
        greets(with, *asked);
      }
    }};
    http_channel_options options;
    options.post_timeout = 500ms;
    with_http_channel(
        server,
        [&](http_channel_fixture& fixture) -> task<void> {
          const http_call_outcome greeted = co_await fixture.initialize();
          expect(!greeted.failure.has_value()) << greeted.said();
          for (int i = 0; i < 20; ++i) {
            const http_call_outcome got = co_await fixture.call("tools/call", "{}", call_options{.idle_timeout = 50ms});
            expect(got.failure.has_value() && got.failure->code == errc::timed_out) << got.said();
          }
          const bool told =
              co_await http_channel_fixture::until([&] { return server.asked("notifications/cancelled") >= 1; });
          expect(told);
          const bool released = co_await http_channel_fixture::until([&] { return open <= 1; });
          expect(released) << open.load();
        },
        options);
  };
};

}  // namespace http_posts_test

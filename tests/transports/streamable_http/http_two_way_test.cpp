// SPDX-License-Identifier: MIT
// Both directions at once: the old transport's stream, and what servers ask while they are being asked.
#include <atomic>

#include "../../../runtime/async/when.hpp"
#include "event_streams.hpp"

namespace http_two_way_test {

using namespace hawser;
using namespace hawser::testing;
using namespace hawser::testing::event_streams;
using namespace std::chrono_literals;

const suite<"http streams"> tests = [] {
  "C29 T-17 the old transport's endpoint must lie at its own origin"_test = [] {
    for (const auto& [named, good] :
         {std::pair{"/message?s=1", true}, std::pair{"message", true}, std::pair{"//evil.example/message", false},
          std::pair{"http://127.0.0.1:9/message", false}, std::pair{"https://127.0.0.1/message", false}}) {
      scripted_connection* stream = nullptr;
      std::mutex guard;
      scripted_http_server server{[&](scripted_connection& with) {
        while (auto asked = with.request()) {
          if (asked->is("GET")) {
            const std::scoped_lock lock{guard};
            stream = &with;
            with.events();
            with.say("event: endpoint\ndata: " + std::string{named} + "\n\n");
          } else if (asked->head.starts_with("POST /m")) {
            with.reply("202 Accepted", "text/plain", "");
            const std::scoped_lock lock{guard};
            if (!asked->id().empty() && stream != nullptr)
              stream->say("event: message\n" + sse_event_text(answer_to(*asked)));
          }
        }
      }};
      http_channel_options options{.to = server.url("/sse"), .type = http_channel_options::kind::sse};
      loop l;
      l.run([](loop& on, http_channel_options o, bool fine) -> task<void> {
        http_channel_fixture fixture{on, std::move(o)};
        auto opened = co_await fixture.channel.open(fixture.side);
        expect(opened.has_value() == fine) << (opened ? "" : opened.error().what);
        if (opened) {
          const http_call_outcome got = co_await fixture.call("initialize", "{}");
          expect(got.result == R"({"ok":true})") << got.said();
        }
        auto closed = co_await fixture.channel.close();
        expect(closed.has_value());
      }(l, std::move(options), good));
    }
  };

  "the old transport is found out where POSTs are not taken, and its end is the end of the session"_test = [] {
    std::atomic<scripted_connection*> stream = nullptr;
    std::atomic<bool> over = false;
    const scripted_http_server server{[&](scripted_connection& with) {
      while (auto asked = with.request()) {
        if (asked->is("GET")) {
          stream = &with;
          with.events();
          with.say("event: endpoint\ndata: /message\n\n");
          while (!over) std::this_thread::sleep_for(2ms);
          return;
        }
        if (!asked->head.starts_with("POST /message")) {
          with.reply("404 Not Found", "text/html", "Cannot POST");
          continue;
        }
        with.reply("202 Accepted", "text/plain", "Accepted");
        if (!asked->id().empty()) stream.load()->say(sse_event_text(answer_to(*asked)));
      }
    }};
    with_http_channel(server, [&](http_channel_fixture& fixture) -> task<void> {
      const http_call_outcome got = co_await legacy_call(fixture);
      expect(got.result == R"({"ok":true})") << got.said();
      over = true;
      const bool ended = co_await http_channel_fixture::until([&] { return !fixture.heard.closed.empty(); });
      expect(ended);
    });
  };

  "server requests on the stream of a call reach us, and our answers are POSTs of their own"_test = [] {
    std::atomic<bool> answered = false;
    const scripted_http_server server{[&](scripted_connection& with) {
      while (auto asked = with.request()) {
        if (asked->asks("tools/call")) {
          with.say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n");
          with.say(sse_event_text(R"({"jsonrpc":"2.0","id":"q","method":"roots/list"})"));
          while (!answered) std::this_thread::sleep_for(2ms);
          with.say(sse_event_text(answer_to(*asked)));
          return;
        }
        if (asked->body.find(R"("id":"q")") != std::string::npos) {
          with.reply("202 Accepted", "text/plain", "");
          answered = true;
        } else {
          greets(with, *asked);
        }
      }
    }};
    with_http_channel(server, [](http_channel_fixture& fixture) -> task<void> {
      scope work{co_await this_context()};
      work.spawn([](http_channel_fixture& h) -> task<void> {
        const bool asked = co_await http_channel_fixture::until([&] { return !h.heard.answers.empty(); });
        expect(asked);
        if (asked) h.heard.answers.front().result(R"({"roots":[]})");
      }(fixture));
      const http_call_outcome got = co_await legacy_call(fixture);
      expect(got.result == R"({"ok":true})") << got.said();
      co_await work.join();
    });
  };

  "calls that fill every connection do not keep the answers back that they wait for"_test = [] {
    std::atomic<int> answers = 0;
    const scripted_http_server server{[&](scripted_connection& with) {
      while (auto asked = with.request()) {
        if (asked->asks("tools/call")) {
          with.say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n");
          with.say(sse_event_text(R"({"jsonrpc":"2.0","id":"q)" + asked->id() + R"(","method":"roots/list"})"));
          for (int i = 0; i < 2500 && answers < 2; ++i) std::this_thread::sleep_for(2ms);
          if (answers == 2) with.say(sse_event_text(answer_to(*asked)));
          return;
        }
        if (asked->body.find(R"("id":"q)") != std::string::npos) {
          with.reply("202 Accepted", "text/plain", "");
          ++answers;
        } else {
          greets(with, *asked);
        }
      }
    }};
    http_channel_options narrow;
    narrow.client.max_connections = 2;
    with_http_channel(
        server,
        [](http_channel_fixture& fixture) -> task<void> {
          const http_call_outcome greeted = co_await fixture.initialize();
          expect(!greeted.failure.has_value()) << greeted.said();
          scope work{co_await this_context()};
          work.spawn([](http_channel_fixture& h) -> task<void> {
            const bool asked = co_await http_channel_fixture::until([&] { return h.heard.answers.size() == 2; });
            expect(asked);
            for (auto& one : h.heard.answers) one.result(R"({"roots":[]})");
          }(fixture));
          std::vector<task<http_call_outcome>> calls;
          for (int i = 0; i < 2; ++i) calls.push_back(fixture.call("tools/call", R"({"name":"t"})"));
          const std::vector<http_call_outcome> got = co_await when_all(std::move(calls));
          for (const http_call_outcome& one : got) expect(one.result == R"({"ok":true})") << one.said();
          co_await work.join();
        },
        narrow);
  };
};

}  // namespace http_two_way_test

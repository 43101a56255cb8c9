// SPDX-License-Identifier: MIT
// Streams of events: broken, resumed, replayed, endless, and the old transport's.
#include <atomic>
#include <random>

#include "../../runtime/when.hpp"
#include "../support/web_house.hpp"

namespace {

using namespace hawser;
using namespace std::chrono_literals;
using testing::answer_to;
using testing::greets;
using testing::web_house;
using testing::web_outcome;
using testing::web_peer;
using testing::web_request;
using testing::web_script;
using testing::with_web;

constexpr const char* meta = R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})";

// A legacy server, but for what the test does itself.
web_script::script legacy(std::function<bool(web_peer&, const web_request&)> own) {
  return [own](web_peer& with) {
    while (auto asked = with.request()) {
      if (own(with, *asked)) return;
      if (!greets(with, *asked)) with.json(answer_to(*asked));
    }
  };
}

task<web_outcome> legacy_call(web_house& house, call_options options = {}) {
  const web_outcome greeted = co_await house.initialize();
  expect(!greeted.failure.has_value()) << greeted.said();
  co_return co_await house.call("tools/call", R"({"name":"t"})", std::move(options));
}

std::string event(std::string_view text, std::string_view id = {}) {
  return (id.empty() ? std::string{} : "id: " + std::string{id} + '\n') + "data: " + std::string{text} + "\n\n";
}

std::string note(std::string_view name) {
  return R"({"jsonrpc":"2.0","method":"notifications/)" + std::string{name} + "\"}";
}

const suite<"http streams"> tests = [] {
  "C19 a stream that ends before the answer: its fate is unknown where nothing can be resumed"_test = [] {
    for (const bool reset : {false, true}) {
      const web_script server{legacy([&](web_peer& with, const web_request& asked) {
        if (!asked.asks("tools/call")) return false;
        with.events();
        with.say(event(note("x")));
        if (reset) with.reset();
        return true;
      })};
      with_web(server, [](web_house& house) -> task<void> {
        const web_outcome got = co_await legacy_call(house);
        expect(got.failure.has_value() && got.failure->executed == execution::unknown) << got.said();
      });
    }
    const web_script modern{[](web_peer& with) {
      if (!with.request()) return;
      with.events();
      with.say(event(note("x"), "5"));
    }};
    with_web(modern, [](web_house& house) -> task<void> {
      house.modern();
      const web_outcome got = co_await house.call("tools/call", meta);
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
        web_script server{legacy([&](web_peer& with, const web_request& asked) {
          if (asked.asks("tools/call")) {
            call_id = asked.id();
            with.events();
            with.say("retry: 300\n" + event(note("first"), "1") + "id: 2\ndata:\n\n");
            closed_at = std::chrono::steady_clock::now();
            return true;
          }
          if (!asked.is("GET") || asked.field("Last-Event-ID").empty()) return false;
          resumed_at = std::chrono::steady_clock::now();
          position = asked.field("Last-Event-ID");
          with.events();
          with.say(event(note("first"), "1") + event(note("second"), "3") +
                   event(R"({"jsonrpc":"2.0","id":999,"result":{}})", "4") +
                   event(R"({"jsonrpc":"2.0","id":)" + call_id + R"(,"result":{"late":1}})", "5"));
          return true;
        })};
        with_web(server, [&](web_house& house) -> task<void> {
          const web_outcome got = co_await legacy_call(house);
          expect(got.result == R"({"late":1})") << got.said();
          expect(house.heard.notifications ==
                 std::vector<std::string>{"notifications/first ", "notifications/second "});
          expect(house.channel.foreign() == 1_ul);
        });
        expect(position == "2") << position;
        expect(resumed_at - closed_at > 250ms && resumed_at - closed_at < 10s);
      };

  "a short event behind a long one is read when it comes, and not when more has come than the long one had"_test = [] {
    const web_script server{legacy([](web_peer& with, const web_request& asked) {
      if (!asked.asks("tools/call")) return false;
      with.events();
      with.say(event(note(std::string(100'000, 'x'))));
      std::this_thread::sleep_for(50ms);
      with.say(event(answer_to(asked)));
      with.hang();
      return true;
    })};
    with_web(server, [](web_house& house) -> task<void> {
      call_options patient{.idle_timeout = 5s, .hard_timeout = 5s};
      const web_outcome got = co_await legacy_call(house, std::move(patient));
      expect(got.result == R"({"ok":true})") << got.said();
    });
  };

  "a call waits until the server's own stream has begun, on which it may ask something; but not for long"_test = [] {
    for (const auto delay : {100ms, 10'000ms}) {
      std::atomic<bool> begun = false;
      std::atomic<bool> begun_before_call = false;
      const web_script server{legacy([&](web_peer& with, const web_request& asked) {
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
      with_web(server, [](web_house& house) -> task<void> {
        const web_outcome got = co_await legacy_call(house);
        expect(got.result == R"({"ok":true})") << got.said();
      });
      expect(begun_before_call.load() == (delay < 1s)) << delay / 1ms;
      expect(std::chrono::steady_clock::now() - before < 3s);
    }
  };

  "C20 a refused resumption ends the call; nobody waits for ever"_test = [] {
    const web_script server{legacy([](web_peer& with, const web_request& asked) {
      if (!asked.asks("tools/call")) return false;
      with.events();
      with.say("retry: 1\n" + event(note("x"), "1"));
      return true;
    })};
    with_web(server, [](web_house& house) -> task<void> {
      const web_outcome got = co_await legacy_call(house);
      expect(got.failure.has_value() && got.failure->executed == execution::unknown && got.mentions("405"))
          << got.said();
    });
  };

  "C21 a stream that the server closes at once, for ever, is left alone more and more; calls do not care"_test = [] {
    std::atomic<int> gets = 0;
    const web_script server{legacy([&](web_peer& with, const web_request& asked) {
      if (!asked.is("GET")) return false;
      ++gets;
      with.events();
      return true;
    })};
    with_web(server, [&](web_house& house) -> task<void> {
      for (int i = 0; i < 15; ++i) {
        const web_outcome got = co_await (i == 0 ? legacy_call(house) : house.call("tools/call", R"({"name":"t"})"));
        expect(got.result == R"({"ok":true})") << got.said();
        auto slept = co_await sleep_for(100ms);
        expect(slept.has_value());
      }
    });
    expect(gets.load() >= 1_i && gets.load() <= 3_i) << gets.load();
  };

  "C22 the pause a server asks for is kept within bounds"_test = [] {
    std::atomic<int> gets = 0;
    const web_script server{legacy([&](web_peer& with, const web_request& asked) {
      if (!asked.is("GET")) return false;
      ++gets;
      with.events();
      with.say("retry: 0\nretry: -1\nretry: soon\n" + event(note("x")));
      return true;
    })};
    with_web(server, [&](web_house& house) -> task<void> {
      const web_outcome got = co_await legacy_call(house);
      expect(!got.failure.has_value());
      const auto begin = std::chrono::steady_clock::now();
      const int before = gets.load();
      const bool again = co_await web_house::until([&] { return gets.load() >= before + 3; });
      expect(again) << "0 is no reason never to come back";
      expect(std::chrono::steady_clock::now() - begin > 180ms) << "nor for coming back at once";
    });
  };

  "C24 an event id that would split a header is never sent"_test = [] {
    std::vector<std::string> positions;
    const web_script server{legacy([&](web_peer& with, const web_request& asked) {
      if (asked.is("GET") && !asked.field("Last-Event-ID").empty()) {
        positions.push_back(asked.field("Last-Event-ID"));
        with.reply("405 No", "text/plain", "");
        return true;
      }
      if (!asked.asks("tools/call")) return false;
      with.events();
      with.say("retry: 1\n" + event(note("x"), "good") + event(note("y"), "\x01 bad"));
      with.say(std::string{"id: nul\0l\ndata: 1\n\n", 19});
      return true;
    })};
    with_web(server, [](web_house& house) -> task<void> {
      const web_outcome got = co_await legacy_call(house);
      expect(got.failure.has_value());
    });
    for (const std::string& one : positions) expect(one == "good") << one;
  };

  "C25 comments keep a stream alive, but no call beyond its longest time"_test = [] {
    const web_script server{legacy([](web_peer& with, const web_request& asked) {
      if (!asked.asks("tools/call")) return false;
      with.events();
      with.slowly(std::string(2000, ':') + '\n', 1ms);
      return true;
    })};
    with_web(server, [](web_house& house) -> task<void> {
      const call_options bounded{.idle_timeout = 10s, .hard_timeout = 300ms};
      const web_outcome got = co_await legacy_call(house, bounded);
      expect(got.failed_with(errc::timed_out, execution::unknown)) << got.said();
    });
  };

  "C29 T-17 the old transport's endpoint must lie at its own origin"_test = [] {
    for (const auto& [named, good] :
         {std::pair{"/message?s=1", true}, std::pair{"message", true}, std::pair{"//evil.example/message", false},
          std::pair{"http://127.0.0.1:9/message", false}, std::pair{"https://127.0.0.1/message", false}}) {
      web_peer* stream = nullptr;
      std::mutex guard;
      web_script server{[&](web_peer& with) {
        while (auto asked = with.request()) {
          if (asked->is("GET")) {
            const std::scoped_lock lock{guard};
            stream = &with;
            with.events();
            with.say("event: endpoint\ndata: " + std::string{named} + "\n\n");
          } else if (asked->head.starts_with("POST /m")) {
            with.reply("202 Accepted", "text/plain", "");
            const std::scoped_lock lock{guard};
            if (!asked->id().empty() && stream != nullptr) stream->say("event: message\n" + event(answer_to(*asked)));
          }
        }
      }};
      http_channel_options options{.to = server.url("/sse"), .type = http_channel_options::kind::sse};
      loop l;
      l.run([](loop& on, http_channel_options o, bool fine) -> task<void> {
        web_house house{on, std::move(o)};
        auto opened = co_await house.channel.open(house.side);
        expect(opened.has_value() == fine) << (opened ? "" : opened.error().what);
        if (opened) {
          const web_outcome got = co_await house.call("initialize", "{}");
          expect(got.result == R"({"ok":true})") << got.said();
        }
        auto closed = co_await house.channel.close();
        expect(closed.has_value());
      }(l, std::move(options), good));
    }
  };

  "the old transport is found out where POSTs are not taken, and its end is the end of the session"_test = [] {
    std::atomic<web_peer*> stream = nullptr;
    std::atomic<bool> over = false;
    const web_script server{[&](web_peer& with) {
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
        if (!asked->id().empty()) stream.load()->say(event(answer_to(*asked)));
      }
    }};
    with_web(server, [&](web_house& house) -> task<void> {
      const web_outcome got = co_await legacy_call(house);
      expect(got.result == R"({"ok":true})") << got.said();
      over = true;
      const bool ended = co_await web_house::until([&] { return !house.heard.closed.empty(); });
      expect(ended);
    });
  };

  "server requests on the stream of a call reach us, and our answers are POSTs of their own"_test = [] {
    std::atomic<bool> answered = false;
    const web_script server{[&](web_peer& with) {
      while (auto asked = with.request()) {
        if (asked->asks("tools/call")) {
          with.say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n");
          with.say(event(R"({"jsonrpc":"2.0","id":"q","method":"roots/list"})"));
          while (!answered) std::this_thread::sleep_for(2ms);
          with.say(event(answer_to(*asked)));
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
    with_web(server, [](web_house& house) -> task<void> {
      scope work{co_await this_context()};
      work.spawn([](web_house& h) -> task<void> {
        const bool asked = co_await web_house::until([&] { return !h.heard.answers.empty(); });
        expect(asked);
        if (asked) h.heard.answers.front().result(R"({"roots":[]})");
      }(house));
      const web_outcome got = co_await legacy_call(house);
      expect(got.result == R"({"ok":true})") << got.said();
      co_await work.join();
    });
  };

  "calls that fill every connection do not keep the answers back that they wait for"_test = [] {
    std::atomic<int> answers = 0;
    const web_script server{[&](web_peer& with) {
      while (auto asked = with.request()) {
        if (asked->asks("tools/call")) {
          with.say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n");
          with.say(event(R"({"jsonrpc":"2.0","id":"q)" + asked->id() + R"(","method":"roots/list"})"));
          for (int i = 0; i < 2500 && answers < 2; ++i) std::this_thread::sleep_for(2ms);
          if (answers == 2) with.say(event(answer_to(*asked)));
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
    with_web(
        server,
        [](web_house& house) -> task<void> {
          const web_outcome greeted = co_await house.initialize();
          expect(!greeted.failure.has_value()) << greeted.said();
          scope work{co_await this_context()};
          work.spawn([](web_house& h) -> task<void> {
            const bool asked = co_await web_house::until([&] { return h.heard.answers.size() == 2; });
            expect(asked);
            for (auto& one : h.heard.answers) one.result(R"({"roots":[]})");
          }(house));
          std::vector<task<web_outcome>> calls;
          for (int i = 0; i < 2; ++i) calls.push_back(house.call("tools/call", R"({"name":"t"})"));
          const std::vector<web_outcome> got = co_await when_all(std::move(calls));
          for (const web_outcome& one : got) expect(one.result == R"({"ok":true})") << one.said();
          co_await work.join();
        },
        narrow);
  };

  "C33 connections reset at random points: a thousand calls, each answered exactly once"_test = [] {
    std::atomic<int> executed = 0;
    const web_script server{[&](web_peer& with) {
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
    with_web(server, [&](web_house& house) -> task<void> {
      house.modern();
      for (int round = 0; round < 50; ++round) {
        std::vector<task<web_outcome>> calls;
        for (int i = 0; i < 20; ++i) calls.push_back(house.call("tools/call", meta));
        const std::vector<web_outcome> got = co_await when_all(std::move(calls));
        for (const web_outcome& one : got) {
          if (!one.failure) {
            ++good;
          } else if (one.failure->executed == execution::unknown) {
            ++unknown;
          } else {
            ++unsent;
          }
        }
      }
      expect(house.side.pending() == 0_ul);
    });
    expect(good + unknown + unsent == 1000_i);
    expect(good > 500_i && unknown > 50_i) << good << unknown << unsent;
    // Nothing that is said not to have been executed was.
    expect(executed.load() >= good && executed.load() <= good + unknown) << executed.load() << good << unknown;
  };
};

}  // namespace

// SPDX-License-Identifier: MIT
// A body of which the size is known is collected by the system, and still nobody waits longer than for any other.
#include "../../../../transports/http/client/http_client.hpp"
#include "../../../support/scripted_http_server.hpp"
#include "../../../support/ut.hpp"

namespace http_large_body_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::scripted_connection;
using testing::scripted_http_server;

struct asked {
  std::vector<std::string> bodies{};
  std::optional<error> failure{};
  [[nodiscard]] std::string said() const { return failure ? failure->what : "answered"; }
};

task<asked> ask_in_turn(loop& l, const scripted_http_server& server, int times, http_timeouts patience) {
  ares_resolver names;
  http_client client{l, names, {.timeouts = patience}};
  const http_url to = server.url("/mcp");
  asked got;
  for (int i = 0; i < times && !got.failure; ++i) {
    auto answer = co_await client.fetch({.to = &to, .body = "{}"});
    if (!answer) {
      got.failure = answer.error();
      continue;
    }
    auto body = co_await answer->read_all(std::size_t{8} << 20);
    if (body) {
      got.bodies.emplace_back(body->view());
    } else {
      got.failure = body.error();
    }
  }
  co_await client.close();
  co_return got;
}

asked answers_of(scripted_http_server::script each, int times = 1, http_timeouts patience = {}) {
  scripted_http_server server{std::move(each)};
  loop l;
  return l.run(ask_in_turn(l, server, times, patience));
}

std::string head_of(std::size_t size) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n";
}

std::string body_of(std::size_t size) {
  std::string body(size, '\0');
  for (std::size_t i = 0; i < size; ++i) body[i] = static_cast<char>('a' + (i * 7 + i / 1000) % 26);
  return body;
}

suite<"http large body"> bodies = [] {
  "large and small answers take turns on one connection, whole and at once"_test = [] {
    const std::vector<std::size_t> sizes{5'000'000, 10, 40'000, 1, 2'200'000, 2'097'152, 100'000, 3};
    const asked got = answers_of(
        [&](scripted_connection& with) {
          for (const std::size_t size : sizes) {
            if (!with.request()) return;
            with.say(head_of(size) + body_of(size));
          }
        },
        static_cast<int>(sizes.size()), {.silence = 5s});
    expect(fatal(!got.failure)) << got.said();
    expect(fatal(got.bodies.size() == sizes.size()));
    for (std::size_t i = 0; i < sizes.size(); ++i) expect(got.bodies[i] == body_of(sizes[i])) << sizes[i];
  };

  "C26 a large body that comes slowly is waited for"_test = [] {
    const asked got = answers_of(
        [](scripted_connection& with) {
          if (!with.request()) return;
          const std::string body = body_of(400'000);
          with.say(head_of(body.size()));
          for (std::size_t at = 0; at < body.size(); at += 40'000) {
            with.say(std::string_view{body}.substr(at, 40'000));
            std::this_thread::sleep_for(150ms);
          }
        },
        1, {.silence = 600ms});
    expect(fatal(!got.failure)) << got.said();
    expect(got.bodies.at(0) == body_of(400'000));
  };

  "C26 a large body that stops in the middle is noticed, wherever its bytes wait"_test = [] {
    for (const std::size_t sent : {0UL, 1000UL, 300'000UL}) {
      const auto begin = std::chrono::steady_clock::now();
      const asked got = answers_of(
          [&](scripted_connection& with) {
            if (!with.request()) return;
            with.say(head_of(3'000'000));
            with.say(body_of(sent));
            with.hang();
          },
          1, {.silence = 60ms});
      expect(fatal(got.failure.has_value()));
      expect(got.failure->code == errc::timed_out and got.failure->executed == execution::unknown) << got.said();
      expect(std::chrono::steady_clock::now() - begin < 5s);
    }
  };

  "C26 a large body that is cut off is an error at once"_test = [] {
    const asked got = answers_of([](scripted_connection& with) {
      if (!with.request()) return;
      with.say(head_of(3'000'000));
      with.say(body_of(500'000));
    });
    expect(fatal(got.failure.has_value()));
    expect(got.failure->code == errc::closed and got.failure->executed == execution::unknown) << got.said();
  };
};

}  // namespace http_large_body_test

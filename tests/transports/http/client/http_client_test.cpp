// SPDX-License-Identifier: MIT
// What servers do to an HTTP client, and what it makes of it.
#include "../../../../transports/http/client/http_client.hpp"

#include <atomic>

#include "../../../../runtime/async/scope.hpp"
#include "../../../../runtime/async/sleep.hpp"
#include "../../../../runtime/async/timeout.hpp"
#include "../../../support/every_step.hpp"
#include "http_client_fixture.hpp"

namespace http_client_test {

using namespace hawser;
using namespace hawser::testing::http_client_fixture;
using testing::received_request;
using testing::scripted_connection;
using testing::scripted_http_server;
using namespace std::chrono_literals;
using testing::every_step;
using testing::run;

task<void> twice(http_client& client, const http_url& to, bool replayable, outcome* second) {
  client_request first{.to = &to, .body = "1", .replayable = replayable};
  const outcome one = co_await ask(client, std::move(first));
  expect(one.status == 200_i) << one.said();
  client_request next{.to = &to, .body = "2", .replayable = replayable};
  *second = co_await ask(client, std::move(next));
}

// Answers once and closes when the second request is there: what an idle connection may do at any time.
void closes_at_second(scripted_connection& with) {
  if (!with.request()) return;
  with.json("{}");
  if (!with.request()) return;
  if (with.nth > 0) with.json("{}");
}

// Knows every name, but keeps the first that asks waiting until it gives up.
class slow_resolver final : public resolver {
 public:
  task<result<std::vector<ip_address>>> resolve(std::string /*host*/) override {
    if (std::exchange(asked, true)) co_return std::vector{ip_address::loopback_v4()};
    event never;
    auto waited = co_await never.wait();
    co_return waited.error();
  }
  bool asked = false;
};

task<void> one_post_with_ticket(http_client& client, const http_url& to, request_handle& handle, outcome& into) {
  client_request post{.to = &to, .body = "{}", .handle = &handle};
  into = co_await ask(client, std::move(post));
}

task<result<void>> one_post_within(http_client& client, const http_url& to, outcome& into) {
  co_await one_post(client, to, &into);
  co_return result<void>{};
}

const suite<"http client"> tests = [] {
  "a request arrives as it was meant, and its answer comes back"_test = [] {
    received_request got;
    const outcome answer = answer_of([&](scripted_connection& with) {
      got = with.request().value();
      with.json(R"({"a":1})");
    });
    expect(answer.status == 200_i && answer.body == R"({"a":1})") << answer.said();
    expect(got.head.starts_with("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:")) << got.head;
    expect(got.body == "{}" && got.field("Content-Length") == "2");
  };

  "one connection serves requests that come after each other"_test = [] {
    int connections = 0;
    with_server(
        [&](scripted_connection& with) {
          connections = with.nth + 1;
          while (with.request()) with.json("{}");
        },
        [](http_client& client, const http_url& to) -> task<void> {
          for (int i = 0; i < 5; ++i) {
            client_request post{.to = &to, .body = "{}"};
            const outcome got = co_await ask(client, std::move(post));
            expect(got.status == 200_i) << got.said();
          }
        });
    expect(connections == 1_i);
  };

  "C01 a refused connection was not executed, and the error names the address"_test = [] {
    outcome got;
    std::uint16_t port = 0;
    {
      const scripted_http_server gone{[](scripted_connection&) {}};
      port = gone.port();
    }
    loop l;
    l.run([](loop& on, std::uint16_t at, outcome* into) -> task<void> {
      ares_resolver names;
      http_client client{on, names, {}};
      const http_url to = http_url::parse("http://127.0.0.1:" + std::to_string(at) + "/mcp").value();
      co_await one_post(client, to, into);
      co_await client.close();
    }(l, port, &got));
    expect(got.failure.has_value() && got.failure->executed == execution::no) << got.said();
    expect(mentions(got, "127.0.0.1:" + std::to_string(port))) << got.said();
  };

  "C02 who accepts and never answers runs into the deadline for the first byte"_test = [] {
    const client_context hasty{.options = {.timeouts = {.first_byte = 50ms}}};
    const outcome got = answer_of([](scripted_connection& with) { bytes(with, ""); }, hasty);
    expect(got.failed_with(errc::timed_out, execution::unknown)) << got.said();
  };

  "C03 a head that comes byte by byte runs into its deadline, however regularly it comes"_test = [] {
    const client_context hasty{.options = {.timeouts = {.head = 100ms}}};
    const outcome got = answer_of(
        [](scripted_connection& with) {
          if (with.request()) with.slowly("HTTP/1.1 200 OK\r\nX-Endless: " + std::string(400, 'x'), 5ms);
        },
        hasty);
    expect(got.failed_with(errc::timed_out, execution::unknown)) << got.said();
    expect(mentions(got, "head")) << got.said();
  };

  "C04 a reset behind the request leaves its fate unknown"_test = [] {
    const outcome got = answer_of([](scripted_connection& with) {
      if (with.request()) with.reset();
    });
    expect(got.failure.has_value() && got.failure->executed == execution::unknown) << got.said();
  };

  "C05 a connection that was closed while idle: a list is asked again, a call is not"_test = [] {
    for (const bool replayable : {true, false}) {
      outcome second;
      with_server(closes_at_second,
                  [&](http_client& client, const http_url& to) { return twice(client, to, replayable, &second); });
      if (replayable) {
        expect(second.status == 200_i) << second.said();
      } else {
        expect(second.failed_with(errc::closed, execution::unknown)) << second.said();
      }
    }
  };

  "C06 a body that ends early is no answer"_test = [] {
    for (const char* cut : {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{}",
                            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"}) {
      const outcome got = answer_of([&](scripted_connection& with) {
        if (with.request()) with.say(cut);
      });
      expect(got.failed_with(errc::closed, execution::unknown)) << got.said();
    }
  };

  "C07 T-19 what two parsers could read differently is refused"_test = [] {
    for (const char* odd : {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc",
                            "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nabcde",
                            "HTTP/1.1 200 OK\r\nA: b\r\n folded\r\nContent-Length: 0\r\n\r\n",
                            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n"}) {
      const outcome got = answer_to_bytes(odd);
      expect(got.failed_with(errc::protocol, execution::unknown)) << odd << got.said();
    }
  };

  "C08 T-19 a connection with more than one answer is not used again"_test = [] {
    int connections = 0;
    outcome second;
    with_server(
        [&](scripted_connection& with) {
          connections = with.nth + 1;
          while (with.request()) {
            with.say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL");
          }
        },
        [&](http_client& client, const http_url& to) { return twice(client, to, false, &second); });
    expect(second.body == "{}" && connections == 2_i) << second.said();
  };

  "C09 endless headers and interim answers end at a limit"_test = [] {
    std::string many = "HTTP/1.1 200 OK\r\n";
    for (int i = 0; i < 10'000; ++i) many += "A" + std::to_string(i) + ": b\r\n";
    std::string interim;
    for (int i = 0; i < 1000; ++i) interim += "HTTP/1.1 100 Continue\r\n\r\n";
    for (const std::string& flood : {"HTTP/1.1 200 OK\r\nA: " + std::string(1 << 20, 'x'), many, interim}) {
      const outcome got = answer_to_bytes(flood);
      expect(got.failure.has_value() && got.failure->executed == execution::unknown) << got.said();
      expect(mentions(got, "more than") || mentions(got, "larger than")) << got.said();
    }
  };

  "C26 a body that stops in the middle is noticed"_test = [] {
    const client_context hasty{.options = {.timeouts = {.silence = 50ms}}};
    const outcome got = answer_of(
        [](scripted_connection& with) { bytes(with, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"); }, hasty);
    expect(got.failed_with(errc::timed_out, execution::unknown)) << got.said();
  };

  "C31 an answer that is no HTTP/1.1 is a readable error"_test = [] {
    for (const char* other : {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\x16\x03\x01\x02\x05 hello", "SSH-2.0-OpenSSH_9\r\n",
                              "220 mail.example ESMTP\r\n"}) {
      const outcome got = answer_to_bytes(other);
      expect(got.failed_with(errc::protocol, execution::unknown)) << got.said();
    }
  };

  "a body larger than the limit is refused, and memory stays within it"_test = [] {
    const client_context small{.options = {.limits = {.max_body = 10'000}}};
    const outcome got = answer_of(
        [](scripted_connection& with) {
          if (!with.request()) return;
          with.say("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
          const std::string piece(65536, 'x');
          for (int i = 0; i < 200; ++i) with.say(piece);
        },
        small);
    expect(got.failed_with(errc::too_large, execution::unknown)) << got.said();
  };

  "a request that is withdrawn before its answer ends at once, and its connection is closed"_test = [] {
    outcome got;
    with_server(
        [](scripted_connection& with) {
          if (with.request()) with.hang();
        },
        [&](http_client& client, const http_url& to) -> task<void> {
          request_handle handle;
          scope work{co_await this_context()};
          work.spawn([](http_client& c, const http_url& at, request_handle* t, outcome* into) -> task<void> {
            client_request post{.to = &at, .body = "{}", .handle = t};
            *into = co_await ask(c, std::move(post));
          }(client, to, &handle, &got));
          auto slept = co_await sleep_for(50ms);
          expect(slept.has_value());
          handle.cancel();
          co_await work.join();
        });
    expect(got.failed_with(errc::cancelled, execution::unknown)) << got.said();
  };

  "CLM-5 a request that is withdrawn while its connection is being set up gives its place back at once"_test = [] {
    slow_resolver names;
    outcome given_up;
    outcome next;
    const client_context narrow{.options = {.timeouts = {.connect = 5min}, .max_connections = 1}, .names = &names};
    with_server(
        [](scripted_connection& with) {
          while (with.request()) with.json("{}");
        },
        [&](http_client& client, const http_url& to) -> task<void> {
          request_handle handle;
          scope work{co_await this_context()};
          work.spawn(one_post_with_ticket(client, to, handle, given_up));
          while (!names.asked) co_await yield();
          handle.cancel();
          auto served = co_await with_timeout(10s, one_post_within(client, to, next));
          expect(served.has_value());
          work.request_stop();
          co_await work.join();
        },
        narrow);
    expect(given_up.failed_with(errc::cancelled, execution::no)) << given_up.said();
    expect(next.status == 200_i) << next.said();
  };

  "CLM-5 a request that is withdrawn while it waits for a place ends at once"_test = [] {
    std::atomic<int> requests = 0;
    const client_context narrow{.options = {.max_connections = 1}};
    with_server(
        [&](scripted_connection& with) {
          while (with.request()) {
            ++requests;
            with.hang();
          }
        },
        [&](http_client& client, const http_url& to) -> task<void> {
          request_handle first;
          request_handle second;
          outcome of_first;
          outcome of_second;
          scope holder{co_await this_context()};
          holder.spawn(one_post_with_ticket(client, to, first, of_first));
          for (int i = 0; i < 2000 && requests == 0; ++i) {
            auto slept = co_await sleep_for(5ms);
            expect(slept.has_value());
          }
          scope waiter{co_await this_context()};
          waiter.spawn(one_post_with_ticket(client, to, second, of_second));
          auto slept = co_await sleep_for(5ms);
          expect(slept.has_value());
          second.cancel();
          for (int i = 0; i < 2000 && waiter.task_count() > 0; ++i) {
            auto waited = co_await sleep_for(5ms);
            expect(waited.has_value());
          }
          expect(waiter.task_count() == 0_ul);
          expect(of_second.failed_with(errc::cancelled, execution::no)) << of_second.said();
          first.cancel();
          co_await waiter.join();
          co_await holder.join();
        },
        narrow);
    expect(requests.load() == 1_i);
  };

  "a connection that nobody uses is closed after a while, and one that the server closes at once"_test = [] {
    for (const bool by_server : {false, true}) {
      std::atomic<bool> closed = false;
      const client_context hasty{.options = {.timeouts = {.idle = by_server ? duration{10s} : duration{50ms}}}};
      with_server(
          [&](scripted_connection& with) {
            if (!with.request()) return;
            with.json("{}");
            if (by_server) with.end();
            with.hang();
            closed = true;
          },
          [&](http_client& client, const http_url& to) -> task<void> {
            outcome got;
            co_await one_post(client, to, &got);
            expect(got.status == 200_i) << got.said();
            for (int i = 0; i < 400 && !closed; ++i) {
              auto slept = co_await sleep_for(5ms);
              expect(slept.has_value());
            }
            expect(closed.load()) << "before the client itself was closed";
          },
          hasty);
    }
  };

  "stopped at every step it leaves nothing"_test = [] {
    scripted_http_server server{[](scripted_connection& with) {
      while (with.request()) with.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n");
    }};
    const int steps = every_step([&](loop& l) -> task<void> {
      const testing::counted alive;
      outcome got;
      co_await visiting(l, server, [&](http_client& client, const http_url& to) { return one_post(client, to, &got); },
                        {});
    });
    expect(steps > 3_i);
  };
};

}  // namespace http_client_test

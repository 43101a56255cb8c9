// SPDX-License-Identifier: MIT
// Whoever else comes to the port of a login: by other names and addresses, slowly, in crowds, with too much.
#include <arpa/inet.h>
#include <ifaddrs.h>

#include "../../runtime/async/timeout.hpp"
#include "../support/manual_clock.hpp"
#include "callback_visits.hpp"

namespace callback_strangers_test {

using namespace hawser;
using namespace hawser::testing;
using namespace hawser::testing::callbacks;
using namespace std::chrono_literals;

task<void> knock_wrongly(callback_fixture& fixture) {
  const std::string fields = " HTTP/1.1\r\nHost: " + fixture.host + "\r\n\r\n";
  const std::string query = "?code=the-code&state=right-state";
  expect(co_await status_of(fixture.at, "GET /favicon.ico" + fields) == 404);
  expect(co_await status_of(fixture.at, "GET /callback/guess" + query + fields) == 404);
  expect(co_await status_of(fixture.at, "GET " + fixture.path + "/" + query + fields) == 404);
  expect(co_await status_of(fixture.at, "GET http://" + fixture.host + fixture.path + query + fields) == 404);
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS"})
    expect(co_await status_of(fixture.at, method + (" " + fixture.path + query) + " HTTP/1.1\r\nHost: " + fixture.host +
                                              "\r\nContent-Length: 0\r\n\r\n") == 405)
        << method;
  auto head = co_await ask_to_end(fixture.at, "HEAD " + fixture.path + query + " HTTP/1.1\r\nHost: " + fixture.host +
                                                  "\r\nConnection: close\r\n\r\n");
  expect(head.has_value() && head->starts_with("HTTP/1.1 405 "));
  co_await succeed(fixture);
}

task<void> come_by_other_names(callback_fixture& fixture) {
  const std::string port = fixture.host.substr(fixture.host.find(':'));
  const std::string line = "GET " + fixture.path + "?code=evil&state=right-state HTTP/1.1\r\n";
  for (const std::string& host :
       {"localhost" + port, "evil.example" + port, std::string{"127.0.0.1"}, "127.0.0.1" + port + ".evil.example",
        "[::1]" + port, std::string{}, std::string{"127.0.0.1:1"}})
    expect(co_await status_of(fixture.at, line + "Host: " + host + "\r\n\r\n") == 403) << host;
  expect(co_await status_of(fixture.at, line + "\r\n") == 400) << "none";
  expect(co_await status_of(fixture.at, line + "Host: " + fixture.host + "\r\nHost: evil.example\r\n\r\n") == 400);
  expect(co_await status_of(fixture.at, "GET " + fixture.path + " HTTP/1.0\r\n\r\n") == 403) << "none, and may be";
  co_await succeed(fixture);
}

task<void> come_slowly(callback_fixture& fixture) {
  // Before them ten that say nothing, two that never end their request, and one that breaks it off.
  std::vector<stream> idle;
  for (int i = 0; i < 13; ++i) {
    auto made = co_await connect_to({fixture.at});
    expect(fatal(made.has_value()));
    if (i == 10) made->write("GET " + fixture.path);
    if (i == 11) made->write("GET / HTTP/1.1\r\nHost: " + fixture.host + "\r\nX: ");
    if (i == 12) co_await made->close();
    idle.push_back(*std::move(made));
  }
  co_await several_turns();
  co_await succeed(fixture);
  for (stream& one : idle) co_await one.close();
}

task<void> crowd_in(callback_fixture& fixture) {
  std::vector<stream> crowd;
  for (int i = 0; i < 20; ++i) {
    auto made = co_await connect_to({fixture.at});
    expect(fatal(made.has_value()));
    crowd.push_back(*std::move(made));
    co_await several_turns();
  }
  // Those that came first have made room for the last four. By the clock of the test, which jumps, the others are given
  // up after five seconds.
  for (stream& one : crowd) {
    auto end = co_await read_to_end(one);
    expect(end.has_value());
    co_await one.close();
  }
  co_await succeed(fixture);
}

task<void> trickle(callback_fixture& fixture) {
  auto made = co_await connect_to({fixture.at});
  expect(fatal(made.has_value()));
  made->write("GET " + fixture.path + "?code=x&sta");
  auto said = co_await read_to_end(*made);
  expect(said.has_value() && said->starts_with("HTTP/1.1 408 "));
  co_await made->close();
  co_await succeed(fixture);
}

task<void> come_with_too_much(callback_fixture& fixture) {
  const std::string big(9'000, 'x');
  expect(co_await status_of(fixture.at, "GET " + fixture.path + "?code=x&state=right-state HTTP/1.1\r\nHost: " +
                                            fixture.host + "\r\nCookie: " + big + "\r\n\r\n") == 431);
  expect(co_await status_of(fixture.at, fixture.get("?code=x&state=right-state&x=" + std::string(400'000, 'x'))) ==
         431);
  expect(co_await status_of(fixture.at, "GET " + fixture.path + " HTTP/1.1\r\nHost: " + fixture.host +
                                            "\r\nContent-Length: 9000\r\n\r\n" + big) == 413);
  expect(co_await status_of(fixture.at, "POST " + fixture.path + " HTTP/1.1\r\nHost: " + fixture.host +
                                            "\r\nContent-Length: 9000\r\n\r\n") == 405)
      << "before a body comes";
  co_await succeed(fixture);
}

task<void> come_from_outside(callback_fixture& fixture) {
  ifaddrs* all = nullptr;
  expect(fatal(getifaddrs(&all) == 0));
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    std::array<char, INET_ADDRSTRLEN> text{};
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr, text.data(), text.size());
    const auto address = ip_address::parse(text.data());
    if (!address || *address == ip_address::loopback_v4()) continue;
    auto reached = co_await with_timeout(2s, connect_to({endpoint{*address, fixture.at.port}}));
    expect(!reached.has_value()) << text.data();
  }
  freeifaddrs(all);
  // Another address of loopback stands for an interface on machines that have none.
  const auto other = ip_address::parse("127.0.0.2");
  expect(fatal(other.has_value()));
  auto reached = co_await with_timeout(2s, connect_to({endpoint{*other, fixture.at.port}}));
  expect(!reached.has_value());
  if (has_v6()) {
    auto v6 = co_await with_timeout(2s, connect_to({endpoint{ip_address::loopback_v6(), fixture.at.port}}));
    expect(!v6.has_value());
  }
  co_await succeed(fixture);
}

const suite<"callback server"> tests = [] {
  "E08 T-23 favicons, other paths, POST and HEAD take nothing away from the right redirect"_test = [] {
    with_login(knock_wrongly);
  };
  "T-23 who comes by another name than 127.0.0.1 and the port is turned away"_test = [] {
    with_login(come_by_other_names);
  };
  "T-23 no other address than 127.0.0.1 is listened at"_test = [] { with_login(come_from_outside); };
  "E08 preconnected, idle and half-open connections are no obstacle"_test = [] {
    const auto begun = std::chrono::steady_clock::now();
    with_login(come_slowly);
    expect(std::chrono::steady_clock::now() - begun < 3s) << "nobody waits for them";
  };
  "T-23 sixteen connections at a time, five seconds each"_test = [] {
    manual_clock time;
    loop l{loop::options{.clock = &time}};
    l.run(conduct(l, {}, 5min, crowd_in));
    expect(time.elapsed() >= 5s);
    expect(time.elapsed() < 20s);
  };
  "T-23 who sends its request byte by byte is not waited for"_test = [] {
    manual_clock time;
    loop l{loop::options{.clock = &time}};
    l.run(conduct(l, {}, 5min, trickle));
    expect(time.elapsed() >= 5s);
    expect(time.elapsed() < 20s);
  };
  "T-23 more than 8 KiB of fields, an endless target and bodies are too much"_test = [] {
    with_login(come_with_too_much);
  };
};

}  // namespace callback_strangers_test

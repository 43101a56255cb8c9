// SPDX-License-Identifier: MIT
// A login that waits for its redirect, and somebody who comes to its port.
#pragma once

#include <functional>

#include "../../oauth/callback_server.hpp"
#include "../support/http_server_fixture.hpp"
#include "../support/run.hpp"

namespace hawser::testing::callbacks {

using namespace std::chrono_literals;

inline const std::string right_state = "right-state";

// A login that waits, and what a browser, or somebody who pretends to be one, knows of it.
struct callback_fixture {
  callback_server& server;
  endpoint at;
  std::string host;
  std::string path;
  std::optional<result<authorization_response>> outcome;
  event over;

  [[nodiscard]] std::string get(const std::string& query) const {
    return "GET " + path + query + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
  }
  [[nodiscard]] std::string success(const std::string& code = "the-code") const {
    return get("?code=" + code + "&state=" + right_state);
  }
};

using callback_body = std::function<task<void>(callback_fixture&)>;

inline task<void> wait_in(callback_fixture& fixture, duration bound) {
  const counted alive;
  fixture.outcome = co_await fixture.server.wait(secret{right_state}, bound);
  fixture.over.set();
}

inline task<void> conduct(loop& l, callback_options where, duration bound, callback_body visit) {
  const counted alive;
  auto server = callback_server::listen(l, std::move(where));
  expect(server.has_value()) << (server ? "" : server.error().what);
  if (!server) co_return;
  const std::string uri = server->redirect_uri();
  const std::size_t slash = uri.find('/', 7);
  callback_fixture fixture{.server = *server,
                           .at = endpoint{ip_address::loopback_v4(), 0},
                           .host = uri.substr(7, slash - 7),
                           .path = uri.substr(slash),
                           .outcome = {},
                           .over = {}};
  fixture.at.port = static_cast<std::uint16_t>(std::stoi(fixture.host.substr(fixture.host.find(':') + 1)));
  scope waiting{co_await this_context()};
  waiting.spawn(wait_in(fixture, bound));
  co_await visit(fixture);
  waiting.request_stop();
  co_await waiting.join();
}

inline void with_login(callback_body visit, callback_options where = {}, duration bound = 5min) {
  loop l;
  l.run(conduct(l, std::move(where), bound, std::move(visit)));
}

inline task<int> status_of(endpoint at, std::string bytes) {
  auto answer = co_await ask(at, std::move(bytes));
  co_return answer ? answer->status : 0;
}

inline task<void> finish(callback_fixture& fixture) {
  auto over = co_await fixture.over.wait();
  ignore(over, "a test that is stopped has failed elsewhere");
}

// The right redirect, and that it was taken.
inline task<void> succeed(callback_fixture& fixture) {
  expect(!fixture.outcome.has_value()) << "it still waits";
  expect(co_await status_of(fixture.at, fixture.success()) == 200);
  co_await finish(fixture);
  expect(fatal(fixture.outcome && fixture.outcome->has_value()));
  expect(fixture.outcome->value().code == secret{"the-code"});
}

inline task<void> is_free(endpoint at) {
  auto refused = co_await ask(at, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  expect(!refused.has_value()) << "nobody listens any more";
  const context where = co_await this_context();
  expect(tcp_listener::listen(*where.loop, tcp_listener::loopback::v4, at.port).has_value()) << "the port is free";
}

}  // namespace hawser::testing::callbacks

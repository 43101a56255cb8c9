// SPDX-License-Identifier: MIT
#include <utility>

#include "../../../../transports/http/server/http_server.hpp"
#include "../../../support/every_step.hpp"
#include "../../../support/http_server_fixture.hpp"
#include "../../../support/manual_clock.hpp"
#include "../../../support/tls_fixture.hpp"

namespace http_server_tls_test {

using namespace hawser;
using namespace hawser::testing;
using namespace std::chrono_literals;

const std::string get = "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n";
const std::string last = "GET /b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

task<void> answer_in_pieces(server_exchange& call) {
  const counted alive;
  http_fields none;
  call.begin(200, none);
  for (int i = 0; i < 3; ++i) {
    auto sent = co_await call.send(call.request().target);
    if (!sent) co_return;
  }
  call.end();
}

task<result<std::unique_ptr<byte_stream>>> connect_by_tls(std::shared_ptr<tls_context> with, endpoint at) {
  auto reached = co_await connect_to({at});
  if (!reached) co_return reached.error();
  co_return co_await tls_connect(std::move(*reached), std::move(with), "localhost", at.port);
}

// Two requests on one connection, which then ends in good order.
task<void> ask_twice(std::shared_ptr<tls_context> with, endpoint at) {
  auto made = co_await connect_by_tls(std::move(with), at);
  if (!made) co_return;
  stream_end client{std::move(*made)};
  client.write(get);
  auto first = co_await client.read_until("0\r\n\r\n");
  if (!first) co_return;
  expect(first->ends_with("\r\n\r\n2\r\n/a\r\n2\r\n/a\r\n2\r\n/a\r\n0\r\n\r\n")) << *first;
  client.write(last);
  auto rest = co_await client.read_to_end();
  const context where = co_await this_context();
  if (where.stop_requested()) co_return;
  expect(rest.has_value()) << "the end is vouched for";
  if (rest) expect(rest->ends_with("2\r\n/b\r\n0\r\n\r\n")) << *rest;
  co_await client.get().close();
}

task<void> speak_plainly(std::shared_ptr<tls_context> with, endpoint at) {
  auto plain = co_await ask(at, get);
  expect(!plain.has_value());
  co_await ask_twice(std::move(with), at);
}

task<void> say_nothing(endpoint at) {
  auto all = co_await ask_to_end(at, "");
  expect(all.has_value() && all->empty());
}

http_server_options under(const tls_fixture& fixture) {
  http_server_options options;
  options.tls = fixture.server;
  return options;
}

const suite<"http_server_tls"> tests = [] {
  "requests are answered under TLS, and the end is vouched for"_test = [] {
    loop l;
    tls_fixture fixture{l};
    l.run(
        serve_during(l, under(fixture), answer_in_pieces, [&](endpoint at) { return ask_twice(fixture.client, at); }));
    expect(fixture.server->counters().handshakes == 1_ul);
  };

  "C31 a client without TLS is disconnected, and the next client is served"_test = [] {
    loop l;
    tls_fixture fixture{l};
    l.run(serve_during(l, under(fixture), answer_in_pieces,
                       [&](endpoint at) { return speak_plainly(fixture.client, at); }));
    expect(fixture.server->counters().handshakes == 1_ul);
  };

  "D07 a client that does not complete the handshake is disconnected"_test = [] {
    manual_clock time;
    loop l{loop::options{.clock = &time}};
    tls_fixture fixture{l};
    l.run(serve_during(l, under(fixture), answer_in_pieces, say_nothing));
    expect(time.elapsed() >= 10s);
  };

  "stopped at every step, nothing is left"_test = [] {
    const int steps = every_step([](loop& l) {
      auto fixture = std::make_shared<tls_fixture>(l);
      const http_server_body visit = [fixture](endpoint at) { return ask_twice(fixture->client, at); };
      return serve_during(l, under(*fixture), answer_in_pieces, visit);
    });
    expect(steps > 5_i);
  };
};

}  // namespace http_server_tls_test

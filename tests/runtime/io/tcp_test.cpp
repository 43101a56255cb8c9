// SPDX-License-Identifier: MIT
// All traffic stays on the loopback interface. Sockets that misbehave are made here, by hand, beside the loop.
#include "../../../runtime/io/tcp.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include <array>
#include <string>
#include <vector>

#include "../../../runtime/async/event.hpp"
#include "../../../runtime/async/scope.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../../runtime/async/timeout.hpp"
#include "../../../runtime/async/when.hpp"
#include "../../../runtime/io/detail/sockaddr.hpp"
#include "../../../runtime/io/detail/unique_fd.hpp"
#include "../../support/every_step.hpp"
#include "../../support/manual_clock.hpp"
#include "../../support/run.hpp"
#include "../../support/tcp_peers.hpp"
#include "../../support/ut.hpp"

namespace tcp_test {

using namespace hawser;
using namespace std::chrono_literals;
using namespace std::string_view_literals;
using loopback = tcp_listener::loopback;
using testing::contains;
using testing::counted;
using testing::manual_clock;
using testing::run;
using namespace testing;

struct pair {
  stream client;
  stream server;
};

task<result<pair>> connected(tcp_listener& listener) {
  std::vector<endpoint> there{listener.local()};
  auto outcome = co_await when_all(tcp_connect(std::move(there)), accept_one(listener));
  auto& client = std::get<0>(outcome);
  auto& server = std::get<1>(outcome);
  if (!client) co_return client.error();
  if (!server) co_return server.error();
  co_return pair{std::move(*client), std::move(*server)};
}

task<result<void>> echo_all(stream& on) {
  while (true) {
    auto seen = co_await on.read_some();
    if (!seen && seen.error().code == errc::closed) break;
    if (!seen) co_return seen.error();
    on.write(*seen);
    on.consume(seen->size());
    auto sent = co_await on.drained();
    if (!sent) co_return sent.error();
  }
  co_return co_await on.shutdown();
}

task<result<void>> send_and_end(stream& on, std::string bytes) {
  on.write(std::move(bytes));
  co_return co_await on.shutdown();
}

task<void> echo_a_greeting(loop& l, loopback where) {
  auto listener = listen_on_loopback(l, where);
  expect((listener.has_value()) >> fatal);
  expect(listener->local().port != 0);
  auto both = co_await connected(*listener);
  expect((both.has_value()) >> fatal);
  both->client.write("ping"sv);
  const auto there = co_await read_exactly(both->server, 4);
  expect(there.has_value() && *there == "ping");
  both->server.write("pong!"sv);
  const auto back = co_await read_exactly(both->client, 5);
  expect(back.has_value() && *back == "pong!");
  co_await both->client.close();
  const auto end = co_await both->server.read_some();
  expect(end.has_error() && end.error().code == errc::closed);
}

// What the system was told of the connection to this port; nobody hands out its descriptor.
int option_towards(std::uint16_t port, int level, int name) {
  for (int fd = 0; fd < 1024; ++fd) {
    sockaddr_in there{};
    socklen_t size = sizeof there;
    if (getpeername(fd, reinterpret_cast<sockaddr*>(&there), &size) != 0 || ntohs(there.sin_port) != port) continue;
    int value = -1;
    size = sizeof value;
    expect(getsockopt(fd, level, name, &value, &size) == 0_i);
    return value;
  }
  return -1;
}

task<void> watched_by_the_system(loop& l) {
  auto listener = listen_on_loopback(l);
  expect((listener.has_value()) >> fatal);
  auto both = co_await connected(*listener);
  expect((both.has_value()) >> fatal);
  const std::uint16_t port = listener->local().port;
  expect(option_towards(port, SOL_SOCKET, SO_KEEPALIVE) == 1_i);
  expect(option_towards(port, IPPROTO_TCP, TCP_USER_TIMEOUT) == 60'000_i) << "not sooner: a server may be busy";
  const int probed_for =
      option_towards(port, IPPROTO_TCP, TCP_KEEPIDLE) +
      option_towards(port, IPPROTO_TCP, TCP_KEEPINTVL) * option_towards(port, IPPROTO_TCP, TCP_KEEPCNT);
  expect(probed_for == 60_i);
}

std::string pattern(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 31 + i / 251);
  return bytes;
}

task<void> echo_megabytes(loop& l) {
  const std::string sent = pattern(std::size_t{3} << 20);
  auto listener = listen_on_loopback(l);
  expect((listener.has_value()) >> fatal);
  auto both = co_await connected(*listener);
  expect((both.has_value()) >> fatal);
  auto outcome = co_await when_all(echo_all(both->server), send_and_end(both->client, sent), read_to_end(both->client));
  expect(std::get<0>(outcome).has_value() && std::get<1>(outcome).has_value());
  const auto& received = std::get<2>(outcome);
  expect(received.has_value() && *received == sent);
}

task<void> half_close(loop& l) {
  auto listener = listen_on_loopback(l);
  expect((listener.has_value()) >> fatal);
  auto both = co_await connected(*listener);
  expect((both.has_value()) >> fatal);
  both->client.write("the question"sv);
  const auto ended = co_await both->client.shutdown();
  expect(ended.has_value());
  const auto asked = co_await read_to_end(both->server);
  expect(asked.has_value() && *asked == "the question");
  both->server.write("the answer"sv);
  const auto answered = co_await read_exactly(both->client, 10);
  expect(answered.has_value() && *answered == "the answer") << "the other direction lives on";
  both->client.write("too late"sv);
  const auto refused = co_await both->client.drained();
  expect(refused.has_error() && refused.error().code == errc::closed);
  const auto closed_other = co_await both->server.shutdown();
  expect(closed_other.has_value());
  const auto rest = co_await read_to_end(both->client);
  expect(rest.has_value() && rest->empty());
}

task<void> cancelled_accept(loop& l) {
  auto listener = listen_on_loopback(l);
  expect((listener.has_value()) >> fatal);
  auto none = co_await with_timeout(1ms, accept_one(*listener));
  expect(none.has_error() && none.error().code == errc::timed_out);
  auto both = co_await connected(*listener);
  expect(both.has_value()) << "the listener is as good as before";
}

task<result<stream>> stopped_accept(loop& l) {
  auto listener = listen_on_loopback(l);
  expect((listener.has_value()) >> fatal);
  auto outcome = co_await when_any(accept_one(*listener), turn());
  expect(outcome.winner == 1_ul);
  co_return std::move(std::get<0>(outcome.values));
}

task<void> two_waiting(loop& l) {
  auto listener = listen_on_loopback(l);
  expect((listener.has_value()) >> fatal);
  const std::vector<endpoint> there{listener->local()};
  auto first = co_await connect_to(there);
  auto second = co_await connect_to(there);
  expect((first.has_value() && second.has_value()) >> fatal);
  first->write("1"sv);
  second->write("2"sv);
  co_await several_turns();
  auto one = co_await listener->accept();
  auto two = co_await listener->accept();
  expect((one.has_value() && two.has_value()) >> fatal);
  const auto from_one = co_await read_exactly(*one, 1);
  const auto from_two = co_await read_exactly(*two, 1);
  expect(from_one.has_value() && *from_one == "1");
  expect(from_two.has_value() && *from_two == "2");
}

// A connection that nobody accepted dies with its listener.
task<void> listener_dies_unaccepted(loop& l) {
  result<stream> client = cancelled_error();
  {
    auto listener = listen_on_loopback(l);
    expect((listener.has_value()) >> fatal);
    std::vector<endpoint> there{listener->local()};
    client = co_await connect_to(std::move(there));
    co_await several_turns();
  }
  expect((client.has_value()) >> fatal);
  const auto end = co_await client->read_some();
  expect(end.has_error() && end.error().code == errc::closed);
}

task<void> exchange(loop& l) {
  const counted alive;
  auto listener = listen_on_loopback(l);
  expect((listener.has_value()) >> fatal);
  const context where = co_await this_context();
  std::vector<endpoint> there{listener->local()};
  auto outcome = co_await when_all(serve_once(*listener), ask_once(std::move(there)));
  const auto& answer = std::get<1>(outcome);
  expect(where.stop_requested() || (answer.has_value() && *answer == "ping"));
}

const suite<"tcp"> tests = [] {
  "bytes go both ways over v4"_test = [] {
    loop l;
    l.run(echo_a_greeting(l, loopback::v4));
  };

  "bytes go both ways over v6"_test = [] {
    if (!has_v6()) {
      cfg<override>.skip_this("this machine has no ::1");
      return;
    }
    loop l;
    l.run(echo_a_greeting(l, loopback::v6));
  };

  "megabytes are echoed unchanged"_test = [] {
    loop l;
    l.run(echo_megabytes(l));
  };

  "a side that has ended its stream can still read"_test = [] {
    loop l;
    l.run(half_close(l));
  };

  "the system gives up a peer from whom nothing is heard for a minute"_test = [] {
    loop l;
    l.run(watched_by_the_system(l));
  };

  "a listener says where it listens"_test = [] {
    loop l;
    const auto v4 = listen_on_loopback(l);
    expect((v4.has_value()) >> fatal);
    expect(v4->local().address == ip_address::loopback_v4() && v4->local().port != 0);
    if (!has_v6()) return;
    const auto v6 = listen_on_loopback(l, loopback::v6);
    expect((v6.has_value()) >> fatal);
    expect(v6->local().address == ip_address::loopback_v6() && v6->local().port != 0);
  };

  "a port in use is an error that names the address"_test = [] {
    const port_holder taken;
    expect((listen(taken.fd(), 1) == 0) >> fatal);
    loop l;
    const auto second = tcp_listener::listen(l, loopback::v4, taken.at().port);
    expect((second.has_error()) >> fatal);
    expect(second.error().code == errc::io && second.error().native == UV_EADDRINUSE);
    expect(contains(second.error().what, taken.at().to_string())) << second.error().what;
  };

  "an accept that is given up leaves the listener as it was"_test = [] {
    loop l;
    l.run(cancelled_accept(l));
  };

  "a stop ends an accept"_test = [] {
    loop l;
    const auto stopped = l.run(stopped_accept(l));
    expect(stopped.has_error() && stopped.error().code == errc::cancelled);
  };

  "connections that wait are accepted one after the other"_test = [] {
    loop l;
    l.run(two_waiting(l));
  };

  "a listener that dies takes the connections that nobody accepted with it"_test = [] {
    loop l;
    l.run(listener_dies_unaccepted(l));
  };

  "connecting, accepting, an exchange and closing stopped at every step"_test = [] {
    expect(testing::every_step(exchange, {.beyond = 10, .waits = true}) > 5);
  };
};

}  // namespace tcp_test

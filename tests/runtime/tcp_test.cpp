// SPDX-License-Identifier: MIT
// All traffic stays on the loopback interface. Sockets that misbehave are made here, by hand, beside the loop.
#include "../../runtime/tcp.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include <array>
#include <string>
#include <vector>

#include "../../runtime/detail/sockaddr.hpp"
#include "../../runtime/detail/unique_fd.hpp"
#include "../../runtime/event.hpp"
#include "../../runtime/scope.hpp"
#include "../../runtime/sleep.hpp"
#include "../../runtime/timeout.hpp"
#include "../../runtime/when.hpp"
#include "../support/every_step.hpp"
#include "../support/manual_clock.hpp"
#include "../support/run.hpp"
#include "../support/ut.hpp"

namespace {

using namespace hawser;
using namespace std::chrono_literals;
using namespace std::string_view_literals;
using loopback = tcp_listener::loopback;
using testing::counted;
using testing::manual_clock;
using testing::run;

// A socket that holds a port. Until it listens, a connection to it is refused.
class port_holder {
 public:
  explicit port_holder(const ip_address& where = ip_address::loopback_v4())
      : fd_(socket(where.kind() == ip_address::family::v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const sockaddr_storage wanted = hawser::detail::to_sockaddr(endpoint{where, 0});
    const socklen_t length = where.kind() == ip_address::family::v4 ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    bound_ = bind(fd_.get(), reinterpret_cast<const sockaddr*>(&wanted), length) == 0;
    sockaddr_storage given{};
    socklen_t given_length = sizeof given;
    getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&given), &given_length);
    at_ = hawser::detail::from_sockaddr(reinterpret_cast<const sockaddr*>(&given)).value_or(endpoint{});
  }
  [[nodiscard]] bool bound() const noexcept { return bound_; }
  [[nodiscard]] endpoint at() const noexcept { return at_; }
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }

 private:
  hawser::detail::unique_fd fd_;
  bool bound_ = false;
  endpoint at_;
};

// An address that never answers: it listens, its backlog is full and nobody accepts, so the kernel drops what comes.
class black_hole {
 public:
  black_hole() {
    listen(port_.fd(), 0);
    const sockaddr_storage to = hawser::detail::to_sockaddr(port_.at());
    for (hawser::detail::unique_fd& filler : fillers_) {
      filler = hawser::detail::unique_fd{socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
      static_cast<void>(connect(filler.get(), reinterpret_cast<const sockaddr*>(&to), sizeof(sockaddr_in)));
    }
  }
  [[nodiscard]] endpoint at() const noexcept { return port_.at(); }
  /// Whether the last of the fillers still hangs: else the address is not dead and a test proves nothing.
  [[nodiscard]] bool dead() const noexcept {
    pollfd last{.fd = fillers_.back().get(), .events = POLLOUT, .revents = 0};
    return poll(&last, 1, 0) == 0;
  }

 private:
  port_holder port_;
  std::array<hawser::detail::unique_fd, 4> fillers_;
};

bool has_v6() { return port_holder{ip_address::loopback_v6()}.bound(); }

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

result<tcp_listener> listening(loop& l, loopback where = loopback::v4) { return tcp_listener::listen(l, where, 0); }

// One turn of the loop through libuv.
task<void> turn() {
  event around;
  const context where = co_await this_context();
  where.loop->post([&around] { around.set(); });
  auto waited = co_await around.wait();
  ignore(waited, "a stop only makes the turn shorter");
  while (!around.is_set()) co_await yield();
}

task<result<stream>> accept_one(tcp_listener& listener) { co_return co_await listener.accept(); }

task<result<std::string>> read_exactly(stream& from, std::size_t count) {
  while (from.unread().size() < count) {
    auto seen = co_await from.read_some();
    if (!seen) co_return seen.error();
  }
  std::string bytes{from.unread().substr(0, count)};
  from.consume(count);
  co_return bytes;
}

task<result<std::string>> read_to_end(stream& from) {
  while (true) {
    auto seen = co_await from.read_some();
    if (seen) continue;
    if (seen.error().code != errc::closed) co_return seen.error();
    std::string bytes{from.unread()};
    from.consume(bytes.size());
    co_return bytes;
  }
}

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
  auto listener = listening(l, where);
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

std::string pattern(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 31 + i / 251);
  return bytes;
}

task<void> echo_megabytes(loop& l) {
  const std::string sent = pattern(std::size_t{3} << 20);
  auto listener = listening(l);
  expect((listener.has_value()) >> fatal);
  auto both = co_await connected(*listener);
  expect((both.has_value()) >> fatal);
  auto outcome = co_await when_all(echo_all(both->server), send_and_end(both->client, sent), read_to_end(both->client));
  expect(std::get<0>(outcome).has_value() && std::get<1>(outcome).has_value());
  const auto& received = std::get<2>(outcome);
  expect(received.has_value() && *received == sent);
}

task<void> half_close(loop& l) {
  auto listener = listening(l);
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

task<result<stream>> connect_to(std::vector<endpoint> candidates) {
  co_return co_await tcp_connect(std::move(candidates));
}

task<result<stream>> connect_within(duration bound, std::vector<endpoint> candidates) {
  co_return co_await with_timeout(bound, tcp_connect(std::move(candidates)));
}

// What a connect under way has come to, for a test that looks at it from outside.
struct connecting {
  std::vector<endpoint> candidates;
  connect_options options{};
  std::optional<result<stream>> outcome{};
};

task<void> connect_into(connecting& c) { c.outcome.emplace(co_await tcp_connect(c.candidates, c.options)); }

task<void> several_turns() {
  for (int i = 0; i < 20; ++i) co_await turn();
}

task<void> stagger(loop& l, manual_clock& clock) {
  const black_hole hole;
  expect((hole.dead()) >> fatal);
  auto live = listening(l);
  expect((live.has_value()) >> fatal);
  connecting c{.candidates = {hole.at(), live->local()}, .options = {.stagger = 250ms}};
  scope s{co_await this_context()};
  s.spawn(connect_into(c));
  co_await several_turns();
  clock.advance(249ms);
  co_await several_turns();
  expect(!c.outcome.has_value()) << "the second address was tried before the stagger was over";
  clock.advance(1ms);
  auto arrived = co_await live->accept();
  co_await s.join();
  expect(arrived.has_value());
  expect((c.outcome.has_value() && c.outcome->has_value()) >> fatal);
  (**c.outcome).write("hello"sv);
  const auto heard = co_await read_exactly(*arrived, 5);
  expect(heard.has_value() && *heard == "hello") << "the connection that is handed over is the one that was made";
  expect(hole.dead());
}

task<void> two_staggers(loop& l, manual_clock& clock) {
  const black_hole first;
  const black_hole second;
  expect((first.dead() && second.dead()) >> fatal);
  auto live = listening(l);
  expect((live.has_value()) >> fatal);
  connecting c{.candidates = {first.at(), second.at(), live->local()}, .options = {.stagger = 100ms}};
  scope s{co_await this_context()};
  s.spawn(connect_into(c));
  co_await several_turns();
  clock.advance(100ms);
  co_await several_turns();
  expect(!c.outcome.has_value());
  clock.advance(100ms);
  co_await s.join();
  expect(c.outcome.has_value() && c.outcome->has_value());
}

// The clock stands still, so only the refusal can have started the next one.
task<void> refusal_then_live(loop& l) {
  const port_holder refusing;
  auto live = listening(l);
  expect((live.has_value()) >> fatal);
  std::vector<endpoint> candidates{refusing.at(), live->local()};
  auto made = co_await connect_to(std::move(candidates));
  expect(made.has_value());
  auto arrived = co_await live->accept();
  expect(arrived.has_value());
}

// The dead one hangs, the refusing one starts the third while the dead one is still under way.
task<void> refusal_beside_a_dead_one(loop& l, manual_clock& clock) {
  const black_hole hole;
  expect((hole.dead()) >> fatal);
  const port_holder refusing;
  auto live = listening(l);
  expect((live.has_value()) >> fatal);
  connecting c{.candidates = {hole.at(), refusing.at(), live->local()}, .options = {.stagger = 1h}};
  scope s{co_await this_context()};
  s.spawn(connect_into(c));
  co_await several_turns();
  clock.advance(1h);
  co_await s.join();
  expect(c.outcome.has_value() && c.outcome->has_value());
}

task<result<stream>> stopped_connect(endpoint to) {
  connecting c{.candidates = {to}};
  scope s{co_await this_context()};
  s.spawn(connect_into(c));
  co_await several_turns();
  expect(!c.outcome.has_value()) << "there was nothing to stop";
  s.request_stop();
  co_await s.join();
  co_return std::move(*c.outcome);
}

task<void> cancelled_accept(loop& l) {
  auto listener = listening(l);
  expect((listener.has_value()) >> fatal);
  auto none = co_await with_timeout(1ms, accept_one(*listener));
  expect(none.has_error() && none.error().code == errc::timed_out);
  auto both = co_await connected(*listener);
  expect(both.has_value()) << "the listener is as good as before";
}

task<result<stream>> stopped_accept(loop& l) {
  auto listener = listening(l);
  expect((listener.has_value()) >> fatal);
  auto outcome = co_await when_any(accept_one(*listener), turn());
  expect(outcome.winner == 1_ul);
  co_return std::move(std::get<0>(outcome.values));
}

task<void> two_waiting(loop& l) {
  auto listener = listening(l);
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
    auto listener = listening(l);
    expect((listener.has_value()) >> fatal);
    std::vector<endpoint> there{listener->local()};
    client = co_await connect_to(std::move(there));
    co_await several_turns();
  }
  expect((client.has_value()) >> fatal);
  const auto end = co_await client->read_some();
  expect(end.has_error() && end.error().code == errc::closed);
}

task<result<void>> serve_once(tcp_listener& listener) {
  const counted alive;
  auto accepted = co_await listener.accept();
  if (!accepted) co_return accepted.error();
  auto heard = co_await read_exactly(*accepted, 4);
  if (!heard) co_return heard.error();
  accepted->write(*heard);
  co_return co_await accepted->shutdown();
}

task<result<std::string>> ask_once(std::vector<endpoint> candidates) {
  const counted alive;
  const connect_options options{.stagger = 1ms};
  auto made = co_await tcp_connect(std::move(candidates), options);
  if (!made) co_return made.error();
  made->write("ping"sv);
  auto answer = co_await read_to_end(*made);
  co_await made->close();
  co_return answer;
}

task<void> exchange(loop& l) {
  const counted alive;
  auto listener = listening(l);
  expect((listener.has_value()) >> fatal);
  const context where = co_await this_context();
  std::vector<endpoint> there{listener->local()};
  auto outcome = co_await when_all(serve_once(*listener), ask_once(std::move(there)));
  const auto& answer = std::get<1>(outcome);
  expect(where.stop_requested() || (answer.has_value() && *answer == "ping"));
}

task<void> race_past_a_dead_and_a_refusing_one(loop& l) {
  const counted alive;
  const black_hole hole;
  const port_holder refusing;
  auto listener = listening(l);
  expect((listener.has_value()) >> fatal);
  const context where = co_await this_context();
  std::vector<endpoint> candidates{hole.at(), refusing.at(), listener->local()};
  auto outcome = co_await when_all(serve_once(*listener), ask_once(std::move(candidates)));
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

  "a listener says where it listens"_test = [] {
    loop l;
    const auto v4 = listening(l);
    expect((v4.has_value()) >> fatal);
    expect(v4->local().address == ip_address::loopback_v4() && v4->local().port != 0);
    if (!has_v6()) return;
    const auto v6 = listening(l, loopback::v6);
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

  "a refused connection names the address"_test = [] {
    const port_holder refusing;
    const auto refused = run(connect_to({refusing.at()}));
    expect((refused.has_error()) >> fatal);
    expect(refused.error().code == errc::io);
    expect(refused.error().what == "cannot connect: " + refusing.at().to_string() + ": connection refused")
        << refused.error().what;
  };

  "a list of which every address fails names them all"_test = [] {
    const port_holder a;
    const port_holder b;
    const port_holder c;
    const auto refused = run(connect_to({a.at(), b.at(), c.at()}));
    expect((refused.has_error()) >> fatal);
    for (const endpoint& tried : {a.at(), b.at(), c.at()}) {
      expect(contains(refused.error().what, tried.to_string() + ": connection refused")) << refused.error().what;
    }
  };

  "the families take turns"_test = [] {
    if (!has_v6()) {
      cfg<override>.skip_this("this machine has no ::1");
      return;
    }
    const port_holder a;
    const port_holder b;
    const port_holder c{ip_address::loopback_v6()};
    const port_holder d{ip_address::loopback_v6()};
    const auto refused = run(connect_to({a.at(), b.at(), c.at(), d.at()}));
    expect((refused.has_error()) >> fatal);
    const std::string& said = refused.error().what;
    const auto place = [&said](const port_holder& p) { return said.find(p.at().to_string()); };
    expect((place(d) != std::string::npos && place(b) != std::string::npos) >> fatal) << said;
    expect(place(a) < place(c) && place(c) < place(b) && place(b) < place(d)) << said;
  };

  "an empty list is an error"_test = [] {
    const auto none = run(connect_to({}));
    expect(none.has_error() && none.error().code == errc::io);
  };

  "a dead address keeps the next one waiting for the stagger and no longer"_test = [] {
    manual_clock clock{manual_clock::when_idle::stand_still};
    loop l{loop::options{.clock = &clock}};
    l.run(stagger(l, clock));
  };

  "every dead address costs one stagger"_test = [] {
    manual_clock clock{manual_clock::when_idle::stand_still};
    loop l{loop::options{.clock = &clock}};
    l.run(two_staggers(l, clock));
  };

  "a refusal starts the next address at once"_test = [] {
    manual_clock clock{manual_clock::when_idle::stand_still};
    loop l{loop::options{.clock = &clock}};
    l.run(refusal_then_live(l));
    expect(clock.elapsed() == 0s);
  };

  "a refusal starts the next address also while a dead one hangs"_test = [] {
    manual_clock clock{manual_clock::when_idle::stand_still};
    loop l{loop::options{.clock = &clock}};
    l.run(refusal_beside_a_dead_one(l, clock));
    expect(clock.elapsed() == 1h);
  };

  "a stop ends a connect that hangs"_test = [] {
    const black_hole hole;
    expect((hole.dead()) >> fatal);
    const auto stopped = run(stopped_connect(hole.at()));
    expect(stopped.has_error() && stopped.error().code == errc::cancelled);
    expect(hole.dead());
  };

  "a deadline ends a connect that hangs"_test = [] {
    const black_hole hole;
    expect((hole.dead()) >> fatal);
    manual_clock clock;
    const auto late = run(clock, connect_within(30s, {hole.at()}));
    expect(late.has_error() && late.error().code == errc::timed_out);
    expect(clock.elapsed() == 30s);
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
    expect(testing::every_step(exchange, {.beyond = 10}) > 5);
  };

  "a race past a dead and a refusing address stopped at every step"_test = [] {
    expect(testing::every_step(race_past_a_dead_and_a_refusing_one, {.beyond = 10}) > 5);
  };
};

}  // namespace

// SPDX-License-Identifier: MIT
// Racing the addresses of a host. All traffic stays on the loopback interface. Sockets that misbehave are made here, by
// hand, beside the loop.
#include "../../../runtime/io/tcp.hpp"

#include <fcntl.h>
#include <netinet/in.h>
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

namespace tcp_connect_test {

using namespace hawser;
using namespace std::chrono_literals;
using namespace std::string_view_literals;
using loopback = tcp_listener::loopback;
using testing::contains;
using testing::counted;
using testing::manual_clock;
using testing::run;
using namespace testing;

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

task<void> stagger(loop& l, manual_clock& clock) {
  const black_hole hole;
  expect((hole.dead()) >> fatal);
  auto live = listen_on_loopback(l);
  expect((live.has_value()) >> fatal);
  connecting c{.candidates = {hole.at(), live->local()}, .options = {.attempt_delay = 250ms}};
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

// As a resolver gives them: both families, v6 first.
task<void> dead_v6(loop& l, manual_clock& clock) {
  const black_hole hole{ip_address::loopback_v6()};
  expect((hole.dead()) >> fatal);
  auto live = listen_on_loopback(l);
  expect((live.has_value()) >> fatal);
  connecting c{.candidates = {hole.at(), live->local()}, .options = {}};
  scope s{co_await this_context()};
  s.spawn(connect_into(c));
  co_await several_turns();
  expect(!c.outcome.has_value());
  clock.advance(300ms);
  co_await s.join();
  expect(c.outcome.has_value() && c.outcome->has_value());
}

task<void> two_staggers(loop& l, manual_clock& clock) {
  const black_hole first;
  const black_hole second;
  expect((first.dead() && second.dead()) >> fatal);
  auto live = listen_on_loopback(l);
  expect((live.has_value()) >> fatal);
  connecting c{.candidates = {first.at(), second.at(), live->local()}, .options = {.attempt_delay = 100ms}};
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
  auto live = listen_on_loopback(l);
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
  auto live = listen_on_loopback(l);
  expect((live.has_value()) >> fatal);
  connecting c{.candidates = {hole.at(), refusing.at(), live->local()}, .options = {.attempt_delay = 1h}};
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

task<void> race_past_a_dead_and_a_refusing_one(loop& l) {
  const counted alive;
  const black_hole hole;
  const port_holder refusing;
  auto listener = listen_on_loopback(l);
  expect((listener.has_value()) >> fatal);
  const context where = co_await this_context();
  std::vector<endpoint> candidates{hole.at(), refusing.at(), listener->local()};
  auto outcome = co_await when_all(serve_once(*listener), ask_once(std::move(candidates)));
  const auto& answer = std::get<1>(outcome);
  expect(where.stop_requested() || (answer.has_value() && *answer == "ping"));
}

const suite<"tcp connect"> tests = [] {
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

  "of thousands of addresses some are tried, and the error stays short"_test = [] {
    const port_holder nobody;
    const auto refused = run(connect_to(std::vector<endpoint>(3000, nobody.at())));
    expect((refused.has_error()) >> fatal);
    const std::string& said = refused.error().what;
    expect(said.size() < 2000_ul) << said.size();
    expect(said.ends_with("; 2984 more addresses were not tried")) << said;
  };

  "an empty list is an error"_test = [] {
    const auto none = run(connect_to({}));
    expect(none.has_error() && none.error().code == errc::io);
  };

  "D04 a dead address keeps the next one waiting for the stagger and no longer"_test = [] {
    manual_clock clock{manual_clock::when_idle::stand_still};
    loop l{loop::options{.clock = &clock}};
    l.run(stagger(l, clock));
  };

  "D04 a black hole in v6 holds up a connection over v4 for less than 300 ms"_test = [] {
    if (!has_v6()) {
      cfg<override>.skip_this("there is no v6 here");
      return;
    }
    manual_clock clock{manual_clock::when_idle::stand_still};
    loop l{loop::options{.clock = &clock}};
    l.run(dead_v6(l, clock));
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

  "a race past a dead and a refusing address stopped at every step"_test = [] {
    expect(testing::every_step(race_past_a_dead_and_a_refusing_one, {.beyond = 10, .waits = true}) > 5);
  };
};

}  // namespace tcp_connect_test

// SPDX-License-Identifier: MIT
// How long a name server is waited for, who is asked next, and that a question ends whenever it is stopped.
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <optional>

#include "../../../runtime/async/scope.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../../runtime/async/timeout.hpp"
#include "../../support/every_step.hpp"
#include "dns_questions.hpp"

namespace dns_patience_test {

using namespace hawser;
using namespace hawser::testing::questions;
using namespace std::chrono_literals;
using testing::contains;
using testing::counted;
using testing::fake_dns_server;
using testing::run;

task<void> resolve_into(resolver& by, std::string host, std::optional<result<addresses>>& outcome) {
  outcome.emplace(co_await by.resolve(std::move(host)));
}

// Waits, in turns of the loop, until the questions have arrived.
task<void> until_asked(const fake_dns_server& server, int count) {
  while (server.asked() < count) {
    auto slept = co_await sleep_for(1ms);
    if (!slept) break;
  }
}

task<result<addresses>> stopped_when_asked(resolver& by, const fake_dns_server& server) {
  std::optional<result<addresses>> outcome;
  scope s{co_await this_context()};
  s.spawn(resolve_into(by, "both.test", outcome));
  co_await until_asked(server, 1);
  expect(!outcome.has_value()) << "there was nothing to stop";
  s.request_stop();
  co_await s.join();
  co_return std::move(*outcome);
}

task<result<addresses>> bounded(resolver& by, duration bound) {
  co_return co_await with_timeout(bound, by.resolve("both.test"));
}

task<result<addresses>> sixth_beside_five_hung(resolver& hung, const fake_dns_server& silent, resolver& live) {
  std::array<std::optional<result<addresses>>, 5> five;
  scope s{co_await this_context()};
  for (auto& outcome : five) s.spawn(resolve_into(hung, "both.test", outcome));
  co_await until_asked(silent, 5);
  auto sixth = co_await live.resolve("both.test");
  for (const auto& outcome : five) expect(!outcome.has_value()) << "it was not hung";
  s.request_stop();
  co_await s.join();
  for (const auto& outcome : five) expect(outcome->has_error() && outcome->error().code == errc::cancelled);
  co_return sixth;
}

task<void> one_question(resolver& by, std::string host = "both.test") {
  const counted alive;
  const context where = co_await this_context();
  const auto outcome = co_await resolved(by, std::move(host));
  expect(where.stop_requested() || outcome.has_value());
  expect(outcome.has_value() || outcome.error().code == errc::cancelled);
}

task<void> one_vain_question(resolver& by) {
  const counted alive;
  const auto outcome = co_await resolved(by, "both.test");
  expect(outcome.has_error());
}

const suite<"dns"> tests = [] {
  "a family that is never answered for is not waited for when the other is there"_test = [] {
    for (const auto& [how, left] :
         {std::pair{manner::silent_for_v6, v4(7)}, {manner::silent_for_v4, ip_address::loopback_v6()}}) {
      const fake_dns_server server{how, sample_names()};
      std::optional<result<addresses>> outcome;
      expect(time_of([&] { outcome = resolve_alone(server, "both.test"); }) < 5s);
      expect(gave(*outcome, {left}));
    }
  };

  "D01 a silent server is asked as often as told and then given up"_test = [] {
    const fake_dns_server server{manner::silent};
    ares_resolver by{asking(server, 50ms, 2)};
    result<addresses> outcome = addresses{};
    const duration took = time_of([&] { outcome = run(resolved(by, "both.test")); });
    expect((outcome.has_error()) >> fatal);
    expect(outcome.error().code == errc::io);
    expect(contains(outcome.error().what, "\"both.test\"")) << outcome.error().what;
    expect(server.asked() == 4_i) << "two families, two tries";
    expect(took >= 100ms) << took.count();
    expect(took < 3s) << took.count();
  };

  "the second server is asked when the first is silent"_test = [] {
    const fake_dns_server silent{manner::silent};
    const fake_dns_server live{manner::answers, sample_names()};
    ares_resolver by{{.servers = silent.address() + ',' + live.address(), .try_timeout = 20ms, .tries = 2}};
    const auto both = both_families([&] { return run(resolved(by, "both.test")); });
    expect(gave(both, addresses{v4(7), ip_address::loopback_v6()}));
    for (int patience = 2000; patience > 0 && silent.asked() == 0; --patience) usleep(1000);  // it has a thread to wake
    expect(silent.asked() >= 1_i);
  };

  "the second server is asked when the first fails"_test = [] {
    const fake_dns_server failing{manner::servfail};
    const fake_dns_server live{manner::answers, sample_names()};
    ares_resolver by{{.servers = failing.address() + ',' + live.address(), .try_timeout = too_long, .tries = 2}};
    const auto both = both_families([&] { return run(resolved(by, "both.test")); });
    expect(gave(both, addresses{v4(7), ip_address::loopback_v6()}));
    expect(failing.asked() >= 1_i);
  };

  "a stop ends a question at once while the server is silent"_test = [] {
    const fake_dns_server server{manner::silent};
    ares_resolver by{asking(server)};
    result<addresses> outcome = addresses{};
    const duration took = time_of([&] { outcome = run(stopped_when_asked(by, server)); });
    expect(outcome.has_error() && outcome.error().code == errc::cancelled);
    expect(took < 5s) << took.count();
  };

  "D01 a deadline ends a question while the server is silent"_test = [] {
    const fake_dns_server server{manner::silent};
    ares_resolver by{asking(server)};
    const auto outcome = run(bounded(by, 20ms));
    expect(outcome.has_error() && outcome.error().code == errc::timed_out);
  };

  "D02 five hung questions do not delay a sixth to a live server"_test = [] {
    const fake_dns_server silent{manner::silent};
    const fake_dns_server server{manner::answers, sample_names()};
    ares_resolver hung{asking(silent)};
    ares_resolver live{asking(server)};
    result<addresses> sixth = addresses{};
    const duration took = time_of([&] { sixth = run(sixth_beside_five_hung(hung, silent, live)); });
    expect(sixth.has_value() && !sixth->empty());
    expect(took < 5s) << took.count();
  };

  "a question that is answered, stopped at every step"_test = [] {
    const fake_dns_server server{manner::answers, sample_names()};
    ares_resolver by{asking(server, 5s, 3)};
    testing::every_step([&by](loop&) { return one_question(by); }, {.waits = true});
    expect(server.asked() > 2_i);
  };

  "a question that goes on in search domains, stopped at every step"_test = [] {
    setenv("LOCALDOMAIN", "corp.test", 1);
    setenv("RES_OPTIONS", "ndots:1", 1);
    {
      const fake_dns_server server{manner::answers, {{"short.corp.test", {v4(8)}}, {"deep.inside.corp.test", {v4(9)}}}};
      ares_resolver by{asking(server, 5s, 3)};
      for (const char* name : {"short", "deep.inside"})
        testing::every_step([&by, name](loop&) { return one_question(by, name); }, {.waits = true});
      expect(server.asked() > 4_i);
    }
    unsetenv("LOCALDOMAIN");
    unsetenv("RES_OPTIONS");
  };

  "a question of which one family is not answered, stopped at every step"_test = [] {
    for (const manner how : {manner::silent_for_v6, manner::silent_for_v4}) {
      const fake_dns_server server{how, sample_names()};
      ares_resolver by{asking(server, 5s, 3)};
      testing::every_step([&by](loop&) { return one_question(by); }, {.waits = true});
    }
  };

  "a question to a silent server, stopped at every step"_test = [] {
    const fake_dns_server server{manner::silent};
    ares_resolver by{asking(server, 20ms, 1)};
    testing::every_step([&by](loop&) { return one_vain_question(by); }, {.waits = true});
    expect(server.asked() > 2_i);
  };
};

}  // namespace dns_patience_test

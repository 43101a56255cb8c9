// SPDX-License-Identifier: MIT
// The name servers here are fakes on 127.0.0.1; no question leaves the machine. c-ares keeps real time whatever the
// loop's clock says, so waits for a silent server are real and short.
#include "../../runtime/dns.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "../../runtime/event.hpp"
#include "../../runtime/scope.hpp"
#include "../../runtime/sleep.hpp"
#include "../../runtime/timeout.hpp"
#include "../../runtime/when.hpp"
#include "../support/every_step.hpp"
#include "../support/fake_dns_server.hpp"
#include "../support/run.hpp"
#include "../support/ut.hpp"

namespace {

using namespace hawser;
using namespace std::chrono_literals;
using testing::counted;
using testing::fake_dns_server;
using testing::run;
using manner = fake_dns_server::manner;
using addresses = std::vector<ip_address>;

// Longer than any test may take: who waits for it has failed.
constexpr duration too_long = 60s;

ip_address v4(std::uint8_t last) { return ip_address::v4({127, 0, 0, last}); }

fake_dns_server::table some_names() {
  return {{"both.test", {v4(7), ip_address::loopback_v6()}},
          {"four.test", {v4(8), v4(9)}},
          {"six.test", {ip_address::loopback_v6()}},
          {"neither.test", {}}};
}

resolver_options asking(const fake_dns_server& server, duration try_timeout = too_long, int tries = 1) {
  return {.servers = server.address(), .try_timeout = try_timeout, .tries = tries};
}

task<result<addresses>> resolved(resolver& by, std::string host) { co_return co_await by.resolve(std::move(host)); }

result<addresses> resolve_alone(const fake_dns_server& server, std::string host) {
  ares_resolver by{asking(server)};
  return run(resolved(by, std::move(host)));
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The order is a matter of the machine's routes (RFC 6724).
addresses sorted(addresses list) {
  std::sort(list.begin(), list.end());
  return list;
}

bool gave(const result<addresses>& outcome, const addresses& expected) {
  return outcome.has_value() && sorted(*outcome) == expected;
}

// On a busy machine more time may pass between two answers of one server than one family waits for the other: whoever
// got only one of them asks again.
result<addresses> both_families(const auto& ask) {
  for (int tries = 0; tries < 5; ++tries) {
    auto outcome = ask();
    if (!outcome || outcome->size() == 2) return outcome;
  }
  return ask();
}

duration time_of(const auto& what) {
  const auto begin = std::chrono::steady_clock::now();
  what();
  return std::chrono::steady_clock::now() - begin;
}

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

task<std::vector<result<addresses>>> many_at_once(resolver& by, int count) {
  std::vector<task<result<addresses>>> questions;
  for (int i = 0; i < count; ++i) questions.push_back(resolved(by, i % 2 == 0 ? "both.test" : "four.test"));
  co_return co_await when_all(std::move(questions));
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
  "only the very name is asked for by family: a search domain's addresses are no part of it"_test = [] {
    setenv("LOCALDOMAIN", "corp.test", 1);
    setenv("RES_OPTIONS", "ndots:1", 1);
    const fake_dns_server server{manner::answers,
                                 {{"api.example.test", {v4(7)}},
                                  {"api.example.test.corp.test", {ip_address::loopback_v6()}},
                                  {"short.corp.test", {v4(8), ip_address::loopback_v6()}},
                                  {"deep.inside.corp.test", {v4(9)}}}};
    expect(gave(resolve_alone(server, "api.example.test"), {v4(7)}));
    expect(gave(resolve_alone(server, "short"), {v4(8), ip_address::loopback_v6()}));
    expect(gave(resolve_alone(server, "deep.inside"), {v4(9)})) << "there is no such name: then it is looked for below";
    expect(resolve_alone(server, "deep.inside.").has_error()) << "nothing is below the root";
    setenv("RES_OPTIONS", "ndots:5", 1);
    const fake_dns_server cluster{manner::answers, {{"web.dev", {v4(7)}}, {"web.dev.corp.test", {v4(8)}}}};
    expect(gave(resolve_alone(cluster, "web.dev"), {v4(8)})) << "below first: so the system is configured";
    unsetenv("LOCALDOMAIN");
    unsetenv("RES_OPTIONS");
  };

  "what the file of hosts says is all there is"_test = [] {
    std::ifstream hosts{"/etc/hosts"};
    for (std::string line; std::getline(hosts, line);) {
      std::istringstream words{line.substr(0, line.find('#'))};
      std::string address;
      std::string name;
      words >> address >> name;
      const auto parsed = ip_address::parse(address);
      if (!parsed || parsed->kind() != ip_address::family::v4 || name.empty() || name.find("localhost") == 0) continue;
      const fake_dns_server server{manner::answers, {{name, {ip_address::loopback_v6()}}}};
      const auto outcome = resolve_alone(server, name);
      // c-ares puts together what shares an address there, so that there may be more than on this line.
      expect(outcome.has_value() && std::ranges::count(*outcome, *parsed) == 1 && server.asked() == 0) << name;
      return;
    }
    cfg<override>.skip_this("the file of hosts has no name of version 4 but localhost");
  };

  "a family that is never answered for is not waited for when the other is there"_test = [] {
    for (const auto& [how, left] :
         {std::pair{manner::silent_for_v6, v4(7)}, {manner::silent_for_v4, ip_address::loopback_v6()}}) {
      const fake_dns_server server{how, some_names()};
      std::optional<result<addresses>> outcome;
      expect(time_of([&] { outcome = resolve_alone(server, "both.test"); }) < 5s);
      expect(gave(*outcome, {left}));
    }
  };

  "an address literal is its own answer and no server is asked"_test = [] {
    const fake_dns_server server{manner::answers, some_names()};
    expect(gave(resolve_alone(server, "127.0.0.9"), addresses{v4(9)}));
    expect(gave(resolve_alone(server, "::1"), addresses{ip_address::loopback_v6()}));
    expect(server.asked() == 0_i);
  };

  "localhost is the loopback addresses and no server is asked"_test = [] {
    const fake_dns_server server{manner::answers, {{"localhost", {v4(66)}}, {"a.localhost", {v4(66)}}}};
    for (const char* name : {"localhost", "LocalHost", "localhost.", "a.localhost", "a.b.LOCALHOST."}) {
      const auto found = resolve_alone(server, name);
      expect(gave(found, addresses{v4(1), ip_address::loopback_v6()})) << name;
    }
    expect(server.asked() == 0_i);
  };

  "a name that only ends like localhost is asked for"_test = [] {
    const fake_dns_server server{manner::answers, {{"notlocalhost", {v4(5)}}, {"localhost.test", {v4(6)}}}};
    expect(gave(resolve_alone(server, "notlocalhost"), addresses{v4(5)}));
    expect(gave(resolve_alone(server, "localhost.test"), addresses{v4(6)}));
    expect(server.asked() >= 2_i);
  };

  "a name has the addresses of both families"_test = [] {
    const fake_dns_server server{manner::answers, some_names()};
    const auto both = both_families([&] { return resolve_alone(server, "both.test"); });
    expect(gave(both, addresses{v4(7), ip_address::loopback_v6()}));
    expect(both && both->front() == ip_address::loopback_v6()) << "version 6 first";
    expect(server.asked() % 2 == 0) << "one question for each family";
  };

  "a name with addresses of one family only has those"_test = [] {
    const fake_dns_server server{manner::answers, some_names()};
    const auto four = resolve_alone(server, "four.test");
    expect(gave(four, addresses{v4(8), v4(9)}));
    const auto six = resolve_alone(server, "six.test");
    expect(gave(six, addresses{ip_address::loopback_v6()}));
  };

  "a name without any address is an error that names it"_test = [] {
    const fake_dns_server server{manner::answers, some_names()};
    const auto none = resolve_alone(server, "neither.test");
    expect((none.has_error()) >> fatal);
    expect(none.error().code == errc::io);
    expect(contains(none.error().what, "\"neither.test\"")) << none.error().what;
  };

  "D01 a name that does not exist is an error that names it"_test = [] {
    const fake_dns_server server{manner::nxdomain, some_names()};
    const auto none = resolve_alone(server, "both.test");
    expect((none.has_error()) >> fatal);
    expect(none.error().code == errc::io);
    expect(contains(none.error().what, "\"both.test\"") && contains(none.error().what, "not found"))
        << none.error().what;
  };

  "D01 a server that fails is an error that names the host"_test = [] {
    const fake_dns_server server{manner::servfail, some_names()};
    const auto none = resolve_alone(server, "both.test");
    expect((none.has_error()) >> fatal);
    expect(none.error().code == errc::io);
    expect(contains(none.error().what, "\"both.test\"")) << none.error().what;
    expect(server.asked() >= 2_i);
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
    const fake_dns_server live{manner::answers, some_names()};
    ares_resolver by{{.servers = silent.address() + ',' + live.address(), .try_timeout = 20ms, .tries = 2}};
    const auto both = both_families([&] { return run(resolved(by, "both.test")); });
    expect(gave(both, addresses{v4(7), ip_address::loopback_v6()}));
    for (int patience = 2000; patience > 0 && silent.asked() == 0; --patience) usleep(1000);  // it has a thread to wake
    expect(silent.asked() >= 1_i);
  };

  "the second server is asked when the first fails"_test = [] {
    const fake_dns_server failing{manner::servfail};
    const fake_dns_server live{manner::answers, some_names()};
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
    const fake_dns_server server{manner::answers, some_names()};
    ares_resolver hung{asking(silent)};
    ares_resolver live{asking(server)};
    result<addresses> sixth = addresses{};
    const duration took = time_of([&] { sixth = run(sixth_beside_five_hung(hung, silent, live)); });
    expect(sixth.has_value() && !sixth->empty());
    expect(took < 5s) << took.count();
  };

  "many questions at once get each its own answer"_test = [] {
    const fake_dns_server server{manner::answers, some_names()};
    ares_resolver by{asking(server, 5s, 3)};
    const auto answers = run(many_at_once(by, 40));
    expect((answers.size() == 40_ul) >> fatal);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const addresses its_own = i % 2 == 0 ? addresses{v4(7), ip_address::loopback_v6()} : addresses{v4(8), v4(9)};
      expect(fatal(answers[i].has_value() && !answers[i]->empty())) << i;
      for (const ip_address& one : *answers[i])
        expect(std::find(its_own.begin(), its_own.end(), one) != its_own.end()) << i;
    }
  };

  "D05 a name that is none is refused and no server is asked"_test = [] {
    const fake_dns_server server{manner::answers, {{"evil", {v4(6)}}, {"both.test", {v4(7)}}}};
    const std::string with_nul{"both.test\0.example", 18};
    const std::string label(63, 'a');
    const std::string too_many_bytes = label + '.' + label + '.' + label + '.' + label;
    const std::vector<std::string> refusable{"",
                                             with_nul,
                                             std::string(1, '\0'),
                                             too_many_bytes,
                                             too_many_bytes + ".test",
                                             std::string(100'000, 'a'),
                                             label + "a.test",
                                             "a..test"};
    for (const std::string& name : refusable) {
      const auto refused = resolve_alone(server, name);
      expect(refused.has_error() && refused.error().code == errc::io) << name.substr(0, 20) << name.size();
    }
    expect(server.asked() == 0_i);
  };

  "D05 a number is no address in disguise"_test = [] {
    const fake_dns_server server{manner::answers, some_names()};
    for (const std::string name : {"0x7f.1", "017.0.0.1", "127.1", "2130706433", "0x7f000001", "127.0.0.1.5"}) {
      const auto refused = resolve_alone(server, name);
      expect(refused.has_error() && refused.error().code == errc::io) << name;
    }
    expect(server.asked() == 0_i);
    const fake_dns_server numbered{manner::answers, {{"7f3a9c", {v4(7)}}, {"1.test", {v4(8)}}}};
    expect(gave(resolve_alone(numbered, "7f3a9c"), {v4(7)})) << "a name may begin with a digit";
    expect(gave(resolve_alone(numbered, "1.test"), {v4(8)}));
  };

  "servers that cannot be read are an error"_test = [] {
    ares_resolver by{{.servers = "nonsense:x", .try_timeout = 20ms, .tries = 1}};
    const auto outcome = run(resolved(by, "both.test"));
    expect(outcome.has_error() && outcome.error().code == errc::io);
  };

  "a question that is answered, stopped at every step"_test = [] {
    const fake_dns_server server{manner::answers, some_names()};
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
      const fake_dns_server server{how, some_names()};
      ares_resolver by{asking(server, 5s, 3)};
      testing::every_step([&by](loop&) { return one_question(by); }, {.waits = true});
    }
  };

  "a name that does not exist is asked for once by family where there are no search domains"_test = [] {
    setenv("LOCALDOMAIN", "", 1);
    {
      const fake_dns_server server{manner::answers, some_names()};
      expect(resolve_alone(server, "nobody.test").has_error());
      expect(server.asked() == 2_i);
    }
    unsetenv("LOCALDOMAIN");
  };

  "a question to a silent server, stopped at every step"_test = [] {
    const fake_dns_server server{manner::silent};
    ares_resolver by{asking(server, 20ms, 1)};
    testing::every_step([&by](loop&) { return one_vain_question(by); }, {.waits = true});
    expect(server.asked() > 2_i);
  };
};

}  // namespace

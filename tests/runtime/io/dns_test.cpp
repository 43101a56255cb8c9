// SPDX-License-Identifier: MIT
// Which addresses a name has, and what is no name.
#include "../../../runtime/io/dns.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "../../../runtime/async/when.hpp"
#include "dns_questions.hpp"

namespace dns_test {

using namespace hawser;
using namespace hawser::testing::questions;
using namespace std::chrono_literals;
using testing::contains;
using testing::fake_dns_server;
using testing::run;

task<std::vector<result<addresses>>> many_at_once(resolver& by, int count) {
  std::vector<task<result<addresses>>> questions;
  for (int i = 0; i < count; ++i) questions.push_back(resolved(by, i % 2 == 0 ? "both.test" : "four.test"));
  co_return co_await when_all(std::move(questions));
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

  "an entry of the hosts file prevents a DNS query"_test = [] {
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

  "an address literal is its own answer and no server is asked"_test = [] {
    const fake_dns_server server{manner::answers, sample_names()};
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
    const fake_dns_server server{manner::answers, sample_names()};
    const auto both = both_families([&] { return resolve_alone(server, "both.test"); });
    expect(gave(both, addresses{v4(7), ip_address::loopback_v6()}));
    expect(both && both->front() == ip_address::loopback_v6()) << "version 6 first";
    expect(server.asked() % 2 == 0) << "one question for each family";
  };

  "a name with addresses of one family only has those"_test = [] {
    const fake_dns_server server{manner::answers, sample_names()};
    const auto four = resolve_alone(server, "four.test");
    expect(gave(four, addresses{v4(8), v4(9)}));
    const auto six = resolve_alone(server, "six.test");
    expect(gave(six, addresses{ip_address::loopback_v6()}));
  };

  "a name without any address is an error that names it"_test = [] {
    const fake_dns_server server{manner::answers, sample_names()};
    const auto none = resolve_alone(server, "neither.test");
    expect((none.has_error()) >> fatal);
    expect(none.error().code == errc::io);
    expect(contains(none.error().what, "\"neither.test\"")) << none.error().what;
  };

  "D01 a name that does not exist is an error that names it"_test = [] {
    const fake_dns_server server{manner::nxdomain, sample_names()};
    const auto none = resolve_alone(server, "both.test");
    expect((none.has_error()) >> fatal);
    expect(none.error().code == errc::io);
    expect(contains(none.error().what, "\"both.test\"") && contains(none.error().what, "not found"))
        << none.error().what;
  };

  "D01 a server that fails is an error that names the host"_test = [] {
    const fake_dns_server server{manner::servfail, sample_names()};
    const auto none = resolve_alone(server, "both.test");
    expect((none.has_error()) >> fatal);
    expect(none.error().code == errc::io);
    expect(contains(none.error().what, "\"both.test\"")) << none.error().what;
    expect(server.asked() >= 2_i);
  };

  "many questions at once get each its own answer"_test = [] {
    const fake_dns_server server{manner::answers, sample_names()};
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
    const fake_dns_server server{manner::answers, sample_names()};
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

  "a name that does not exist is asked for once by family where there are no search domains"_test = [] {
    setenv("LOCALDOMAIN", "", 1);
    {
      const fake_dns_server server{manner::answers, sample_names()};
      expect(resolve_alone(server, "nobody.test").has_error());
      expect(server.asked() == 2_i);
    }
    unsetenv("LOCALDOMAIN");
  };
};

}  // namespace dns_test

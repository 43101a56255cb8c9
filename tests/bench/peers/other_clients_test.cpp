// SPDX-License-Identifier: MIT
#include "../../../bench/peers/other_clients.hpp"

#include "../../support/contains.hpp"
#include "../../support/run.hpp"
#include "../../support/shell_peer.hpp"
#include "../../support/ut.hpp"

namespace other_clients_test {

using namespace hawser;
using namespace hawser::bench;
using testing::contains;
using testing::shell_peer;

task<void> two_turns(loop& home, other_clients& all) {
  keeper by{home};
  call_target to{.stdio = {"/nowhere"}};
  co_await all.join(by, std::move(to));
  co_await all.warm_up(2500);
  for (int i = 0; i < 2; ++i) co_await all.run_round(4);
  co_await all.run_concurrently(8, 2, true);
  co_await all.end();
  auto closed = co_await by.close();
  expect(closed.has_value());
}

// What ./dev says of the TypeScript clients, for as long as this lives; null: nothing.
class said_by_dev {
 public:
  said_by_dev(const char* folder, const char* missing) {
    set(folder_, folder);
    set(missing_, missing);
  }
  said_by_dev(const said_by_dev&) = delete;
  said_by_dev& operator=(const said_by_dev&) = delete;
  ~said_by_dev() {
    set(folder_, folder_.before ? folder_.before->c_str() : nullptr);
    set(missing_, missing_.before ? missing_.before->c_str() : nullptr);
  }

 private:
  struct variable {
    explicit variable(const char* n) : name(n) {
      if (const char* value = std::getenv(n)) before = value;
    }
    const char* name;
    std::optional<std::string> before{};
  };
  static void set(const variable& one, const char* value) {
    if (value != nullptr)
      setenv(one.name, value, 1);
    else
      unsetenv(one.name);
  }
  variable folder_{"HAWSER_BENCH_PEERS"};
  variable missing_{"HAWSER_BENCH_PEERS_MISSING"};
};

const boost::ut::suite<"other_clients"> tests = [] {
  using namespace boost::ut;

  "an invitation is a name and a command"_test = [] {
    const auto one = parse_peer_spec("go 1.4=GOGC=off ./peer --x=y");
    expect(fatal(one.has_value()));
    expect(one->name == "go 1.4" and one->command == "GOGC=off ./peer --x=y");
    expect(not one->stdio_bar and not one->http_bar);
    expect(parse_peer_spec("rmcp=x")->stdio_bar == std::optional{3.0}) << "P9 has a bar for it";
    for (const char* bad : {"", "x", "=x", "x=", "x=  ", "a\nb=x", "a name that is much too long=x"})
      expect(not parse_peer_spec(bad)) << bad;
  };

  "two clients of one name are refused, before anything is measured"_test = [] {
    report found;
    const auto all = peer_specs({.peers = {"a=x", "b=y", "a=z"}}, found);
    expect(fatal(not all.has_value()));
    expect(contains(all.error().what, "two with the name a"));
  };

  "the TypeScript clients come from the folder that ./dev names"_test = [] {
    const said_by_dev where{"/it's here", nullptr};
    report found;
    const auto all = peer_specs({.peers = {"mine=x"}, .typescript_peers = true}, found);
    expect(fatal(all.has_value() and all->size() == 3_ul));
    expect((*all)[0].command == R"(exec node --no-warnings '/it'\''s here/typescript_sdk.mjs')") << (*all)[0].command;
    expect((*all)[0].stdio_bar == std::optional{5.0} and (*all)[0].http_bar == std::optional{15.0});
    expect((*all)[1].stdio_bar == std::optional{8.0} and (*all)[1].http_bar == std::optional{15.0});
  };

  "TypeScript clients that could not be installed are named and left out"_test = [] {
    const said_by_dev why{nullptr, "npm is not installed"};
    report found;
    const auto all = peer_specs({.peers = {"mine=x"}, .typescript_peers = true}, found);
    expect(all.has_value() and all->size() == 1_ul);
    expect(fatal(found.warnings().size() == 2_ul));
    expect(found.warnings()[0] == "TypeScript SDK takes no part: npm is not installed") << found.warnings()[0];
  };

  "without an installation the report says how to install the TypeScript clients"_test = [] {
    const said_by_dev nothing{nullptr, nullptr};
    report found;
    const auto all = peer_specs({.typescript_peers = true}, found);
    expect(fatal(not all.has_value()));
    expect(contains(all.error().what, "./dev bench dispatch --peers"));
  };

  "one that fails in the middle is left out by name, and the others go on"_test = [] {
    const std::string dies_later =
        "n=0\n" + shell_peer(R"(echo '{"ready":"7"}')", "n=$((n+1)); [ $n -lt 4 ] || exit 5; usual");
    const std::vector<peer_spec> who{{.name = "never there", .command = "exit 4"},
                                     {.name = "good", .command = shell_peer(), .stdio_bar = 5.0},
                                     {.name = "dies", .command = dies_later},
                                     {.name = "also good", .command = shell_peer()}};
    report found;
    other_clients all{who, other_clients::wire::stdio, found};
    loop home;
    home.run(two_turns(home, all));
    expect(not all.all_took_part());
    std::string warnings;
    for (const std::string& one : found.warnings()) warnings += '\n' + one;
    expect(fatal(found.warnings().size() == 2_ul)) << warnings;
    expect(found.warnings()[0] ==
           "peer \"never there\": it ended without an answer: exited with 4; it is left out over stdio");
    expect(contains(found.warnings()[1], "\"dies 7\"") and contains(found.warnings()[1], "exited with 5"));
    const auto rows = all.rows();
    expect(fatal(rows.size() == 2_ul));
    expect(rows[0].name == "good 7" and rows[1].name == "also good 7");
    expect(rows[0].latency.count() == 8_ul) << "warming up does not count";
    expect(all.rates()[0].figure == 1000000.0_d) << all.rates()[0].figure;
  };

  "only a client with a bar is judged, by how much slower its p50 is in the same rounds"_test = [] {
    const std::vector<peer_spec> who{{.name = "one", .command = shell_peer(), .stdio_bar = 5.0, .http_bar = 15.0},
                                     {.name = "other", .command = shell_peer()}};
    report found;
    other_clients all{who, other_clients::wire::http, found};
    loop home;
    home.run(two_turns(home, all));
    distribution ours;
    for (int round = 0; round < 2; ++round) {
      ours.add(std::chrono::nanoseconds{100});
      ours.end_round();
    }
    const auto judged = all.ratios({}, ours);
    expect(fatal(judged.size() == 2_ul));
    expect(judged[0].name == "P9 p50, one 7 over HTTP" and judged[0].figure == 10.0_d);
    expect(judged[0].bar == std::optional{15.0} and not judged[0].met());
    expect(judged[1].name == "p50, other 7 over HTTP" and not judged[1].bar);
    expect(not all.ratios({.quick = true}, ours)[0].bar);
  };
};

}  // namespace other_clients_test

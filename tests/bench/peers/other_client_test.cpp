// SPDX-License-Identifier: MIT
// Clients that do what they should, and every way in which one can fail to: each ends in bounded time with its name and
// the reason, and leaves no process.
#include "../../../bench/peers/other_client.hpp"

#include "../../support/contains.hpp"
#include "../../support/every_step.hpp"
#include "../../support/fixture.hpp"
#include "../../support/run.hpp"
#include "../../support/shell_peer.hpp"
#include "../../support/ut.hpp"

namespace other_client_test {

using namespace hawser;
using namespace hawser::bench;
using namespace std::chrono_literals;
using testing::contains;
using testing::shell_peer;

struct outcome {
  std::string name{};
  std::string problem{};
  std::vector<peer_times> times{};
};

task<outcome> joins_and_runs(loop& home, std::string command, wait_limits how_long) {
  keeper by{home};
  other_client client{"odd one", std::move(command), how_long};
  outcome seen;
  call_target to{.stdio = {"/nowhere"}};
  auto joined = co_await client.join(by, std::move(to));
  if (!joined) seen.problem = joined.error().what;
  for (int i = 0; joined && seen.problem.empty() && i < 2; ++i) {
    auto times = co_await client.run(3, 2);
    if (times)
      seen.times.push_back(*times);
    else
      seen.problem = times.error().what;
  }
  seen.name = client.name();
  co_await client.end();
  auto closed = co_await by.close();
  expect(closed.has_value());
  co_return seen;
}

task<void> joins_once(loop& home, std::string command) {
  auto seen = co_await joins_and_runs(home, std::move(command), {});
  expect(seen.problem.empty() or seen.problem.find("odd one") != std::string::npos) << seen.problem;
}

// The token is in the command line of the shell.
outcome meet(const std::string& command, wait_limits how_long = {}) {
  const std::string token = testing::new_token();
  loop home;
  outcome seen = home.run(joins_and_runs(home, ": " + token + '\n' + command, how_long));
  expect(testing::survivors(token, 2000).empty()) << "a process is left of: " << command;
  return seen;
}

constexpr wait_limits short_one{.connect = 300ms, .run = 300ms, .call = 0ms};

const boost::ut::suite<"other_client"> tests = [] {
  using namespace boost::ut;

  "a client joins, tells its version and runs as often as it is asked"_test = [] {
    const outcome seen = meet(shell_peer());
    expect(seen.problem == "") << seen.problem;
    expect(seen.name == "odd one 7");
    expect(fatal(seen.times.size() == 2_ul));
    expect(seen.times[1].took == 3us and seen.times[1].each.size() == 3_ul);
  };

  "the command is a line for the shell, with the environment of hawser-bench"_test = [] {
    setenv("HAWSER_TEST_VERSION", "of the environment", 1);
    const outcome seen = meet("cd / && V=\"$PWD $HAWSER_TEST_VERSION\"\n" + shell_peer(R"(echo "{\"ready\":\"$V\"}")"));
    unsetenv("HAWSER_TEST_VERSION");
    expect(seen.name == "odd one / of the environment") << seen.name;
  };

  "a run says how many are wanted in flight"_test = [] {
    const outcome seen = meet(shell_peer(R"(echo '{"ready":""}')", R"(echo "{\"error\":\"$count at $in_flight\"}")"));
    expect(seen.name == "odd one") << "no version is no blank";
    expect(contains(seen.problem, "it said: 3 at 2")) << seen.problem;
  };

  "one that ends is told with how it ended"_test = [] {
    expect(meet("exit 3").problem == "peer \"odd one\": it ended without an answer: exited with 3");
    expect(contains(meet("/no/such/program 2>/dev/null").problem, "exited with 127"));
    expect(contains(meet(shell_peer("kill -9 $$")).problem, "ended by signal 9"));
    expect(contains(meet(shell_peer(R"(echo '{"ready":"7"}')", "exit 0")).problem, "exited with 0"));
  };

  "one that closes its output and lives on has ended, too"_test = [] {
    expect(contains(meet("exec >&-; while :; do sleep 1; done").problem, "it ended without an answer"));
  };

  "waiting for a client that hangs is bounded"_test = [] {
    expect(meet("sleep 1000", short_one).problem == "peer \"odd one\": it did not answer: timed out after 300 ms");
    expect(contains(meet(shell_peer("printf '{'"), short_one).problem, "it did not answer"));
    expect(contains(meet(shell_peer(R"(echo '{"ready":"7"}')", ":"), short_one).problem, "it did not answer"));
    expect(contains(meet("trap '' TERM; while :; do sleep 1; done", short_one).problem, "it did not answer"));
  };

  "each call of a run gives it more time"_test = [] {
    const wait_limits by_call{.connect = 5s, .run = 0ms, .call = 2s};
    expect(meet(shell_peer(R"(echo '{"ready":"7"}')", "sleep 0.3; usual"), by_call).problem == "");
  };

  "invalid output of a client is quoted in the error"_test = [] {
    expect(contains(meet("echo Hello").problem, "peer \"odd one\": it said what is no JSON object: Hello"));
    expect(contains(meet(shell_peer(R"(echo '{"error":"no HTTP in it"}')")).problem, "it said: no HTTP in it"));
    expect(contains(meet(shell_peer(R"(echo '{"ready":"7"}')", R"(echo '{"took":1,"nanoseconds":[1]}')")).problem,
                    "1 times for 3 calls"));
    expect(contains(meet(shell_peer(R"(echo '{"ready":"7"}'; echo and)")).problem, "odd one 7"));
  };

  "one that never ends its line is stopped at a size"_test = [] {
    expect(contains(
        meet("while :; do printf 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'; done")
            .problem,
        "more than 4096 bytes"));
  };

  "all processes of a client are ended, including those that left its group"_test = [] {
    const std::string token = testing::new_token();
    const std::string stray = "setsid sh -c 'sleep 1000; : " + token + "' >/dev/null 2>&1 </dev/null &\n";
    expect(meet(stray + shell_peer()).problem == "");
    expect(testing::survivors(token, 2000).empty());
  };

  "a stop at any step leaves no process"_test = [] {
    const std::string token = testing::new_token();
    const std::string command = ": " + token + '\n' + shell_peer();
    testing::every_step([&](loop& l) { return joins_once(l, command); });
    expect(testing::survivors(token, 2000).empty());
  };
};

}  // namespace other_client_test

// SPDX-License-Identifier: MIT
// hawser-bench pointed at a server of other people, over each of the three transports, as its user would do it.
#include "../support/bench_program.hpp"
#include "../support/http_server_process.hpp"
#include "../support/interop_servers.hpp"
#include "../support/run.hpp"
#include "../support/temporary_folder.hpp"

namespace bench_everything_test {

using namespace hawser;
using testing::bench_program;
namespace interop = testing::interop;

void is_complete(const bench_program& p) {
  expect(p.says("mcp-servers/everything") and p.says("2025-11-25")) << p.out();
  expect(p.lines_with("candidate", "tools/call echo") == 1_i and p.lines_with("candidate", "ping") == 1_i);
  expect(p.lines_with("curve", "closed loop") >= 5_i) << p.out();
  expect(p.lines_with("curve", "open loop, from the intended arrival") == 4_i) << p.out();
  expect(p.figure("calls failed") == 0.0_d) << p.err();
}

task<void> measure(loop& home, std::string transport, std::string type, std::string path) {
  auto found = testing::interop_server(interop::everything, {transport});
  if (!found) co_return;
  const testing::temporary_folder folder;
  keeper starter{home};
  testing::http_server_process guest{*std::move(found), folder / "remote"};
  const bool listens = co_await guest.start(starter);
  if (listens) {
    // It runs by itself while this loop stands still.
    std::optional<bench_program> p;
    testing::measure_all_phases(p, {"--free", "--type", type, "--url", guest.url(path)}, 6);
    is_complete(*p);
  }
  co_await guest.stop();
  auto closed = co_await starter.close();
  expect(closed.has_value());
}

void measure_on_the_network(const char* transport, const char* type, const char* path) {
  loop home;
  home.run(measure(home, transport, type, path));
}

const suite<"interop bench: everything"> tests = [] {
  "it is measured over stdio, with the memory of its process"_test = [] {
    const auto found = testing::interop_server(interop::everything, {"stdio"});
    if (!found or not testing::bench_can_measure()) return;
    const std::string token = testing::new_token();
    std::vector<std::string> words{"--", found->program};
    words.insert(words.end(), found->arguments.begin(), found->arguments.end());
    words.push_back(token);
    std::optional<bench_program> done;
    testing::measure_all_phases(done, words, 6);
    const bench_program& p = *done;
    is_complete(p);
    expect(p.figure("server's memory after its first answer, PSS") > 10.0_d);
    expect(p.figure("server's threads") > 1.0_d and p.says("--free gives it all cores"));
    expect(testing::survivors(token, 2000).empty());
  };

  "it is measured over Streamable HTTP"_test = [] {
    if (testing::bench_can_measure()) measure_on_the_network("streamableHttp", "http", "/mcp");
  };

  "it is measured over SSE"_test = [] {
    if (testing::bench_can_measure()) measure_on_the_network("sse", "sse", "/sse");
  };
};

}  // namespace bench_everything_test

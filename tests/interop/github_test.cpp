// SPDX-License-Identifier: MIT
// server-github, archived: it was made for the first revision and knows no other. Nothing here leaves the machine.
#include "../support/interop_fixture.hpp"

namespace github_test {

using namespace hawser;
using testing::interop_fixture;
namespace interop = testing::interop;

task<void> is_old(interop_fixture& fixture) {
  const server_status now = fixture.of("github");
  expect(now.negotiated.revision == "2024-11-05") << now.negotiated.revision;
  expect(now.negotiated.server.name == "github-mcp-server" and now.negotiated.server.version == "0.6.2");
  expect(now.negotiated.can.tools and !now.negotiated.can.tools_changes and !now.negotiated.can.resources);
  expect(!now.negotiated.can.logging and !now.negotiated.can.completions);
  expect(now.tools == 26_ul and now.refused == 0_ul);
  expect(fixture.sent("github", R"("protocolVersion":"2025-11-25")") == 1_ul);
  co_return;
}

task<void> refuses(interop_fixture& fixture) {
  auto answer = co_await fixture.at().call("github__get_issue", "{}");
  expect(answer.has_error() and answer.error().code == errc::remote and answer.error().native == -32603_i);
  expect(answer.has_error() and answer.error().server == "github");
  auto level = co_await fixture.at().set_log_level("github", "debug");
  expect(level.has_error() and level.error().code == errc::protocol);
  auto subscribed = co_await fixture.at().subscribe("github", "file:///nowhere");
  expect(subscribed.has_error() and subscribed.error().code == errc::protocol);
  auto resources = co_await fixture.at().list("github", list_kind::resources);
  expect(resources.has_value() and resources->empty());
  auto asked = co_await fixture.at().request("github", "resources/list", "");
  expect(asked.has_error() and asked.error().code == errc::remote and asked.error().native == -32601_i);
}

const suite<"interop: github"> tests = [] {
  interop_fixture fixture{{{.name = "github", .script = interop::github}}};
  "it answers with 2024-11-05, and its twenty-six tools are there"_test = [&] { fixture.run(is_old); };
  "what it does not offer is not asked for, and what it refuses is its error"_test = [&] { fixture.run(refuses); };
  "no process of it is left"_test = [&] { fixture.stop(); };
};

}  // namespace github_test

// SPDX-License-Identifier: MIT
// The SDK's own example of a server that wants a login, in its strict form: tokens must be for its resource, its issuer
// ends in a slash, it has no refresh tokens, and it says nothing of itself in the redirect.
#include "../support/oidc_fixture.hpp"

namespace oauth_sdk_test {

using namespace hawser;
using fixture = testing::login_server_fixture;
using state = server_state;

task<void> logs_in(fixture& h) {
  const server_status before = co_await h.until("demo", state::needs_auth);
  expect(before.advice.find("hawser auth demo") != std::string::npos) << before.advice;
  const auto done = co_await h.log_in("demo");
  expect(fatal(done.has_value()));
  expect(done->issuer.ends_with('/') and done->scope == "mcp:tools" and not done->renewable)
      << done->issuer << done->scope;
  expect(h.of.status("demo")->state == state::ready);
  const std::string greeting = co_await h.call("demo__greet", R"({"name":"Ada"})");
  expect(greeting == "Hello, Ada!") << greeting;
}

std::vector<server_settings> demo(const testing::http_server_process& guest) {
  // It calls itself so, and a login is for what it calls itself.
  const std::string url = "http://localhost:" + std::to_string(guest.port()) + "/mcp";
  return {server_settings{.name = "demo", .transport = http_settings{.url = url}}};
}

const suite<"interop oauth: SDK"> tests = [] {
  "simpleStreamableHttp --oauth --oauth-strict is logged in to"_test = [] {
    auto server = testing::interop_server_on_localhost(testing::interop::oauth_example, {"--oauth", "--oauth-strict"});
    if (!server) return;
    server->env.set["HAWSER_PORT_VARIABLES"] = "MCP_PORT,MCP_AUTH_PORT";
    loop l;
    l.run(testing::run_with_login_server(l, *std::move(server), testing::http_server_process::port_source::free_ports,
                                         demo, logs_in));
  };
};

}  // namespace oauth_sdk_test

// SPDX-License-Identifier: MIT
// Servers on the network without TLS: what a hub says about their headers.
#include "../../support/hub_fixture.hpp"
#include "../../support/scripted_http_server.hpp"

namespace cleartext_test {

using namespace hawser;
using testing::contains;
using testing::hub_fixture;
using testing::scripted_connection;
using testing::scripted_http_server;
using state = server_state;

// The warnings about the one server of a hub, which refuses every request and is restarted once.
std::vector<std::string> warnings_about(http_settings where) {
  std::vector<std::string> said;
  const auto keep = [&said](const log_record& one) {
    if (one.level == log_level::warning && one.subject == "r") said.emplace_back(one.text);
  };
  loop l{loop::options{.log = logger{keep, log_level::info}}};
  server_settings remote{.name = "r", .transport = std::move(where)};
  remote.protocol.era = protocol_choice::kind::legacy;
  hub_fixture fixture{l, {.servers = {remote}}, {}, nullptr};
  l.run(testing::run_in_hub_fixture(fixture, [](hub_fixture& h) -> task<void> {
    co_await h.until("r", state::needs_auth);
    auto again = h.of.restart("r");
    expect(again.has_value());
    co_await h.until("r", state::starting);
    co_await h.until("r", state::needs_auth);
  }));
  return said;
}

void refuses(scripted_connection& with) {
  while (with.request()) with.reply("401 Unauthorized", "text/plain", "");
}

const suite<"cleartext"> tests = [] {
  "SEC-4 configured headers that go out over plain http are warned about, once, and never with their values"_test = [] {
    const scripted_http_server proxy{refuses};
    const auto said = warnings_about({.url = "http://mcp.example/mcp",
                                      .headers = {{"X-Api-Key", "hunter2"}, {"X-Team", "blue"}},
                                      .proxy = proxy.origin()});
    expect(fatal(said.size() == 1_ul)) << said.size();
    expect(contains(said.front(), "X-Api-Key, X-Team")) << said.front();
    expect(contains(said.front(), "http://mcp.example") and contains(said.front(), "https")) << said.front();
    expect(not contains(said.front(), "hunter2"));
    expect(proxy.seen().size() > 1_ul) << "they are sent all the same";
  };

  "SEC-4 headers that stay on this machine, and servers without any, are not warned about"_test = [] {
    const scripted_http_server server{refuses};
    expect(warnings_about({.url = server.origin() + "/mcp", .headers = {{"X-Api-Key", "hunter2"}}}).empty());
    expect(warnings_about({.url = "http://mcp.example/mcp", .proxy = server.origin()}).empty());
  };
};

}  // namespace cleartext_test

// SPDX-License-Identifier: MIT
// Whom a server's client certificate is offered to. Server and authorization server both refuse whoever has none.
#include "../support/certificates.hpp"
#include "../support/http_server_fixture.hpp"
#include "../support/hub_fixture.hpp"
#include "../support/server_login_fixture.hpp"

namespace login_certificate_test {

using namespace hawser;
using testing::certificate_authority;
using testing::hub_fixture;
using testing::serve_during;
using state = server_state;

struct visits {
  std::uint16_t authorization_port = 0;
  int metadata = 0;       // of the resource, at the server
  int authorization = 0;  // requests that reached the authorization server
};

task<void> answer_at_server(server_exchange& call, visits& seen) {
  const std::string& target = call.request().target;
  if (!target.starts_with("/.well-known/oauth-protected-resource")) {
    call.reply(401, {}, "");
    co_return;
  }
  ++seen.metadata;
  const http_field* host = nullptr;
  for (const http_field& one : call.request().fields.all()) {
    if (one.name == "Host" || one.name == "host") host = &one;
  }
  call.reply(200, {},
             R"({"resource":"https://)" + (host != nullptr ? host->value : "") +
                 R"(/mcp","authorization_servers":["https://localhost:)" + std::to_string(seen.authorization_port) +
                 "\"]}");
}

task<void> answer_at_authorization_server(server_exchange& call, visits& seen) {
  ++seen.authorization;
  call.reply(404, {}, "");
  co_return;
}

task<void> logs_in(hub_fixture& h) {
  co_await h.until("r", state::needs_auth);
  testing::pasting_user person;
  auto done = co_await h.of.authenticate("r", {}, person);
  expect(done.has_error()) << "there is no metadata";
  expect(person.shown.empty());
}

task<void> in_hub(loop& l, http_settings where) {
  server_settings remote{.name = "r", .transport = std::move(where)};
  remote.protocol.era = protocol_choice::kind::legacy;
  hub_fixture fixture{l, {.servers = {remote}}, {}, nullptr};
  co_await testing::run_in_hub_fixture(fixture, logs_in);
}

// What both servers saw of a login with these certificates.
visits login_with(certificate_authority& test_authority, http_settings where) {
  auto serving =
      tls_context::server({.certificate_file = test_authority.local_file(), .client_ca = test_authority.root_file()});
  expect(fatal(serving.has_value()));
  http_server_options options;
  options.tls = *serving;
  visits seen;
  loop l;
  const auto at_server = [&seen](server_exchange& call) { return answer_at_server(call, seen); };
  const auto at_authorization = [&seen](server_exchange& call) { return answer_at_authorization_server(call, seen); };
  const auto with_both = [&](endpoint server) {
    where.url = "https://localhost:" + std::to_string(server.port) + "/mcp";
    return in_hub(l, where);
  };
  const auto with_authorization = [&](endpoint at) {
    seen.authorization_port = at.port;
    return serve_during(l, options, at_server, with_both);
  };
  l.run(serve_during(l, options, at_authorization, with_authorization));
  return seen;
}

const suite<"login certificate"> tests = [] {
  "SEC-4 a server's client certificate is offered to the server, and not to its authorization server"_test = [] {
    certificate_authority test_authority;
    http_settings where;
    where.tls = {.trust_file = test_authority.root_file(),
                 .certificate_file = test_authority.signed_file({.name = "me"})};
    const visits seen = login_with(test_authority, where);
    expect(seen.metadata > 0_i);
    expect(seen.authorization == 0_i);
  };

  "SEC-4 an authorization server is offered the client certificate of the OAuth settings"_test = [] {
    certificate_authority test_authority;
    http_settings where;
    where.tls = {.trust_file = test_authority.root_file(),
                 .certificate_file = test_authority.signed_file({.name = "me"})};
    where.oauth.certificate_file = test_authority.signed_file({.name = "me at the authorization server"});
    const visits seen = login_with(test_authority, where);
    expect(seen.metadata > 0_i);
    expect(seen.authorization > 0_i);
  };
};

}  // namespace login_certificate_test

// SPDX-License-Identifier: MIT
// A hub whose one server wants a login, with nobody logged in or with somebody who was before.
#pragma once

#include "../support/hub_fixture.hpp"
#include "../support/server_login_fixture.hpp"
#include "../support/temporary_folder.hpp"

namespace hawser::testing::logins {

using namespace std::chrono_literals;

// Of the test that runs.
inline fake_authorization_server* server;
inline std::string login_file;

inline server_settings remote(const std::string& name = "r") {
  server_settings made{.name = name, .transport = http_settings{.url = server->resource()}};
  made.protocol.era = protocol_choice::kind::legacy;
  made.restarts.first_pause = 10ms;
  return made;
}

inline void visit(fake_authorization_server& at, hub_body what) {
  const temporary_folder folder;
  server = &at;
  login_file = folder / "auth.json";
  hub_options options{.login_file = login_file};
  with_hub(what, {.servers = {remote()}}, std::move(options));
}

// The same with somebody who has logged in before.
inline void visit_again(fake_authorization_server& at, hub_body what, const std::string& scope = "mcp:basic") {
  const temporary_folder folder;
  server = &at;
  login_file = folder / "auth.json";
  keep_login(login_file, at.resource(), stored_login(at, scope));
  hub_options options{.login_file = login_file};
  with_hub(what, {.servers = {remote()}}, std::move(options));
}

inline int token_requests() {
  int count = 0;
  for (const auto& one : server->http_server().seen()) count += one.head.starts_with("POST /token ") ? 1 : 0;
  return count;
}

inline task<std::vector<call_outcome>> calls_at_once(hub_fixture& h, std::size_t count, std::string tool = "r__echo") {
  std::vector<call_outcome> got(count);
  scope all{co_await this_context()};
  for (call_outcome& one : got) all.spawn(record_call(h.of, one, tool, "{}"));
  co_await all.join();
  co_return got;
}

inline task<void> logs_in_at(hub& h, pasting_user& person) {
  auto done = co_await h.authenticate("r", {}, person);
  expect(done.has_value()) << (done ? "" : done.error().what);
}
inline task<void> logs_in(hub_fixture& h, pasting_user& person) { co_await logs_in_at(h.of, person); }

}  // namespace hawser::testing::logins

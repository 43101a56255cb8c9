// SPDX-License-Identifier: MIT
// oidc-provider as the authorization server of MCP servers of both eras, with a person who has a browser with cookies.
#include "../../oauth/store/file_credential_store.hpp"
#include "../../runtime/async/sleep.hpp"
#include "../support/contains.hpp"
#include "../support/oidc_fixture.hpp"

namespace oidc_test {

using namespace hawser;
using namespace std::chrono_literals;
using fixture = testing::login_server_fixture;
using state = server_state;
using testing::contains;
using testing::with_oidc;

task<void> pass(duration time) {
  auto slept = co_await sleep_for(time);
  expect(slept.has_value());
}

std::optional<login> kept(const std::string& file, const std::string& url) {
  loop l;
  file_credential_store store{l, file};
  auto found = l.run(store.find_for_server(url));
  return found ? *found : std::nullopt;
}

// Passive, then a login in the browser: forms, cookies, consent and the redirect.
task<void> logs_in(fixture& h, std::string server, std::string revision) {
  const server_status before = co_await h.until(server, state::needs_auth);
  expect(contains(before.advice, "hawser auth " + server)) << before.advice;
  const auto done = co_await h.log_in(server);
  expect(fatal(done.has_value()));
  expect(done->renewable and contains(done->scope, "notes:read") and not contains(done->scope, "notes:write"))
      << done->scope;
  const server_status now = h.of.status(server).value_or(server_status{});
  expect(now.state == state::ready and now.negotiated.revision == revision) << now.reason << now.negotiated.revision;
  const std::string notes = co_await h.call(server + "__read_notes");
  expect(notes.starts_with("notes: ")) << notes;
}

task<void> stays_logged_in(fixture& h) {
  co_await logs_in(h, "old", "2025-11-25");
  co_await logs_in(h, "new", "2026-07-28");
  expect(h.count("registrations") == 1) << "one registration serves both";
  expect(h.count("codes") == 2) << h.count("codes");
  const std::int64_t before = h.count("refreshes");
  for (const char* server : {"old", "new"}) {
    const std::string url = h.guest.url(server == std::string_view{"old"} ? "/legacy/mcp" : "/modern/mcp");
    const auto first = kept(h.login_file(), url);
    co_await pass(6s);
    const std::string notes = co_await h.call(std::string{server} + "__read_notes");
    expect(notes.starts_with("notes: ")) << notes;
    const auto second = kept(h.login_file(), url);
    expect(fatal(first.has_value() and second.has_value()));
    expect(first->tokens.access != second->tokens.access and first->tokens.refresh != second->tokens.refresh)
        << "rotated, and kept";
  }
  expect(h.count("refreshes") >= before + 2 and h.count("replays") == 0) << h.count("refreshes");
  expect(h.person.shown.size() == 2_ul) << "nobody was asked again";
}

// A refresh token that came twice: the server revokes the family, and we say why.
task<void> is_robbed(fixture& h) {
  co_await logs_in(h, "new", "2026-07-28");
  co_await pass(6s);
  const std::string works = co_await h.call("new__read_notes");
  expect(works.starts_with("notes: ")) << works;
  const boost::json::object thief = h.replay();
  expect(boost::json::serialize(thief).find("invalid_grant") != std::string::npos);
  const std::string refused = co_await h.call("new__read_notes");
  expect(contains(refused, "invalid_grant") and contains(refused, "hawser auth new")) << refused;
  const server_status now = co_await h.until("new", state::needs_auth);
  expect(contains(now.reason, "invalid_grant")) << now.reason;
  const auto done = co_await h.log_in("new");
  const std::string again = co_await h.call("new__read_notes");
  expect(done.has_value() and again.starts_with("notes: ")) << again;
}

task<void> steps_up(fixture& h) {
  for (const char* server : {"old", "new"}) {
    co_await logs_in(h, server, server == std::string_view{"old"} ? "2025-11-25" : "2026-07-28");
    const std::string tool = std::string{server} + "__write_note";
    const std::string refused = co_await h.call(tool, R"({"text":"one"})");
    expect(contains(refused, "notes:write") and contains(refused, "hawser auth ")) << refused;
    expect(h.of.status(server)->state == state::ready);
    const auto done = co_await h.log_in(server);
    expect(done.has_value() and contains(done->scope, "notes:read") and contains(done->scope, "notes:write"));
    const std::string written = co_await h.call(tool, R"({"text":"one"})");
    expect(written == "written: one") << written;
  }
  expect(h.count("registrations") == 1) << "the same client: " << h.count("registrations");
}

task<void> has_a_document(fixture& h) {
  co_await logs_in(h, "old", "2025-11-25");
  co_await logs_in(h, "new", "2026-07-28");
  expect(h.count("registrations") == 0) << h.count("registrations");
  const auto login = kept(h.login_file(), h.guest.url("/modern/mcp"));
  expect(login.has_value() and login->key.client == "https://hawser.example/client.json");
}

task<void> is_registered(fixture& h) {
  co_await logs_in(h, "new", "2026-07-28");
  co_await pass(6s);
  const std::string notes = co_await h.call("new__read_notes");
  expect(notes.starts_with("notes: ") and h.count("refreshes") >= 1) << notes;
}

task<void> logs_out(fixture& h) {
  co_await logs_in(h, "new", "2026-07-28");
  const auto login = kept(h.login_file(), h.guest.url("/modern/mcp"));
  auto gone = co_await h.of.log_out("new");
  expect(fatal(gone.has_value())) << (gone ? "" : gone.error().what);
  expect(gone->removed == 1_ul and gone->revoked == 1_ul and gone->failures.empty());
  expect(h.count("revocations") == 1) << h.count("revocations");
  expect(not kept(h.login_file(), h.guest.url("/modern/mcp")).has_value());
  expect(fatal(login.has_value()));
  // What was kept is worth nothing any more.
  const std::string answer =
      testing::ask_loopback(http_url::parse(h.guest.url("/modern/mcp")).value(), "{}",
                            "Authorization: Bearer " + std::string{login->tokens.access.reveal()} + "\r\n");
  expect(answer.starts_with("HTTP/1.1 401")) << answer;
  const std::string refused = co_await h.call("new__read_notes");
  expect(refused.starts_with("error: ")) << refused;
}

task<void> says_no(fixture& h) {
  const testing::scripted_browser denies{h.folder, "--deny"};
  co_await h.until("new", state::needs_auth);
  auto done = co_await h.of.authenticate("new", {}, h.person);
  expect(done.has_error() and done.error().code == errc::auth and contains(done.error().what, "access_denied"))
      << (done ? "logged in" : done.error().what);
  expect(not kept(h.login_file(), h.guest.url("/modern/mcp")).has_value());
  expect(h.of.status("new")->state == state::needs_auth);
}

std::vector<server_settings> with_document(const testing::http_server_process& guest) {
  auto all = testing::oidc_servers(guest);
  for (server_settings& one : all)
    std::get<http_settings>(one.transport).oauth.client_document = "https://hawser.example/client.json";
  return all;
}

std::vector<server_settings> with_client(const testing::http_server_process& guest) {
  auto all = testing::oidc_servers(guest);
  for (server_settings& one : all) {
    auto& oauth = std::get<http_settings>(one.transport).oauth;
    oauth.client_id = "known";
    oauth.client_secret = "a secret: with/everything&in=it";
  }
  return all;
}

const suite<"interop oidc"> tests = [] {
  "who logged in once stays logged in: tokens of five seconds are renewed and rotated in both eras"_test = [] {
    with_oidc({}, stays_logged_in);
  };
  "a refresh token that is replayed ends the login, with the reason"_test = [] { with_oidc({}, is_robbed); };
  "a tool that needs another scope is called after one more login, in both eras"_test = [] {
    with_oidc({"--lifetime", "600"}, steps_up);
  };
  "where refresh tokens are for offline access only, it is asked for"_test = [] {
    with_oidc({"--offline"}, is_registered);
  };
  "a client with a metadata document does not register"_test = [] {
    with_oidc({"--document", "https://hawser.example/client.json", "--lifetime", "600"}, has_a_document, with_document);
  };
  "a client that is registered beforehand logs in with its secret, and stays logged in"_test = [] {
    with_oidc({"--no-registration", "--client", "known", "a secret: with/everything&in=it"}, is_registered,
              with_client);
  };
  "logging out has the tokens revoked"_test = [] { with_oidc({"--lifetime", "600"}, logs_out); };
  "a person who says no is not logged in"_test = [] { with_oidc({}, says_no); };
};

}  // namespace oidc_test

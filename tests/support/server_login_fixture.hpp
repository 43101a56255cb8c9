// SPDX-License-Identifier: MIT
// Logins for tests: a previous login, its store, and a user who makes the next login.
#pragma once

#include "../../oauth/code_flow.hpp"
#include "../../oauth/server_login.hpp"
#include "../../oauth/store/file_credential_store.hpp"
#include "../../oauth/unix_clock.hpp"
#include "../../runtime/io/dns.hpp"
#include "fake_authorization_server.hpp"
#include "fake_browser.hpp"
#include "ut.hpp"

namespace hawser::testing {

/// As if a user had logged in a minute ago, with an access token that expires in an hour.
inline login stored_login(fake_authorization_server& at, const std::string& scope = "mcp:basic",
                          const std::string& client = "me") {
  const fake_tokens given = at.log_in(client, scope);
  const std::int64_t now = unix_now();
  return {.key = {.issuer = at.issuer(), .resource = at.granted_for(), .client = client},
          .tokens = {.access = secret{given.access},
                     .refresh = secret{given.refresh},
                     .scope = scope,
                     .expires_at = now + 3600,
                     .obtained_at = now - 60},
          .client = {.id = client, .method = "none"},
          .requested_scope = scope,
          .token_endpoint = at.issuer() + "/token",
          .revocation_endpoint = at.issuer() + "/revoke"};
}

/// Writes a login to a file, as another process would.
inline void keep_login(const std::string& file, const std::string& url, login one) {
  loop l;
  file_credential_store store{l, file};
  auto saved = l.run(store.save(url, std::move(one)));
  expect(saved.has_value()) << (saved ? "" : saved.error().what);
}

/// Reads a server's login from a file.
inline std::optional<login> kept_login(const std::string& file, const std::string& url) {
  loop l;
  file_credential_store store{l, file};
  auto found = l.run(store.find_for_server(url));
  expect(found.has_value()) << (found ? "" : found.error().what);
  return found ? *found : std::nullopt;
}

/// Consents: opens the page and pastes the redirect URL.
class pasting_user final : public login_ui {
 public:
  void show(const login_prompt& prompt) override {
    shown.push_back(prompt.url);
    prompts.push_back(prompt);
  }
  void show_message(const std::string& text) override { remarks.push_back(text); }
  [[nodiscard]] bool wants_browser() const override { return false; }
  task<result<std::string>> read_pasted_text() override {
    if (pastes == shown.size()) co_return error{.code = errc::closed, .what = "nothing to paste"};
    ++pastes;
    const auto page = http_url::parse(shown.back());
    expect(page.has_value());
    // Blocks the loop, but the server runs on another thread.
    co_return page ? location_of(ask_loopback(*page)) : std::string{};
  }

  /// A query parameter of the page that was shown last.
  [[nodiscard]] std::string asked(const std::string& name) const {
    const std::string& url = shown.back();
    form_fields all = testing::parse_form(std::string_view{url}.substr(url.find('?') + 1));
    return all[name];
  }

  std::vector<std::string> shown{};  ///< the URLs of the prompts
  std::vector<login_prompt> prompts{};
  std::vector<std::string> remarks{};
  std::size_t pastes = 0;
};

/// The login of one server, with its own store, a clock set by the test, and no browser.
struct server_login_fixture {
  server_login_fixture(loop& l, fake_authorization_server& at)
      : home(l),
        around{.event_loop = l, .store = store, .names = names, .opens_browser = false, .now = [this] { return now; }},
        of(around, {.name = "r", .url = at.resource(), .connection = connection}) {}

  static task<result<http_client_options>> connection() { co_return http_client_options{}; }

  loop& home;
  std::int64_t now = unix_now();
  memory_credential_store store;
  ares_resolver names;
  login_context around;
  server_login of;
};

}  // namespace hawser::testing

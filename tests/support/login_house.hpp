// SPDX-License-Identifier: MIT
// Logins in the hands of a test: one that was made before, who keeps it, and the person who makes the next one.
#pragma once

#include "../../oauth/file_token_store.hpp"
#include "../../oauth/flow.hpp"
#include "../../oauth/server_login.hpp"
#include "../../oauth/unix_clock.hpp"
#include "../../runtime/dns.hpp"
#include "fake_authorization_server.hpp"
#include "fake_person.hpp"
#include "ut.hpp"

namespace hawser::testing {

/// As if a person had logged in a minute ago, an hour before the access token expires.
inline login earlier_login(fake_authorization_server& at, const std::string& scope = "mcp:basic",
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
          .asked_scope = scope,
          .token_endpoint = at.issuer() + "/token",
          .revocation_endpoint = at.issuer() + "/revoke"};
}

/// Puts a login into a file, as another process would.
inline void keep_login(const std::string& file, const std::string& url, login one) {
  loop l;
  file_token_store store{l, file};
  auto saved = l.run(store.save(url, std::move(one)));
  expect(saved.has_value()) << (saved ? "" : saved.error().what);
}

/// What a file has for a server.
inline std::optional<login> kept_login(const std::string& file, const std::string& url) {
  loop l;
  file_token_store store{l, file};
  auto found = l.run(store.of_server(url));
  expect(found.has_value()) << (found ? "" : found.error().what);
  return found ? *found : std::nullopt;
}

/// Says yes: opens the page and pastes the address that it leads to.
class pasting_person final : public login_person {
 public:
  void show(const login_prompt& prompt) override {
    shown.push_back(prompt.url);
    prompts.push_back(prompt);
  }
  void remark(const std::string& text) override { remarks.push_back(text); }
  [[nodiscard]] bool wants_browser() const override { return false; }
  task<result<std::string>> pasted() override {
    if (pastes == shown.size()) co_return error{.code = errc::closed, .what = "nothing to paste"};
    ++pastes;
    const auto page = http_url::parse(shown.back());
    expect(page.has_value());
    // It blocks, but whoever answers has a thread of its own.
    co_return page ? location_of(ask_loopback(*page)) : std::string{};
  }

  /// A parameter of the page that was shown last.
  [[nodiscard]] std::string asked(const std::string& name) const {
    const std::string& url = shown.back();
    form_fields all = testing::read_form(std::string_view{url}.substr(url.find('?') + 1));
    return all[name];
  }

  std::vector<std::string> shown{};  ///< the URLs of the prompts
  std::vector<login_prompt> prompts{};
  std::vector<std::string> remarks{};
  std::size_t pastes = 0;
};

/// The login of one server, with a store of its own, a clock that a test sets, and nobody who opens a browser.
struct server_login_house {
  server_login_house(loop& l, fake_authorization_server& at)
      : home(l),
        around{.home = l, .store = store, .names = names, .opens_browser = false, .now = [this] { return now; }},
        of(around, {.name = "r", .url = at.resource(), .connection = connection}) {}

  static task<result<http_client_options>> connection() { co_return http_client_options{}; }

  loop& home;
  std::int64_t now = unix_now();
  memory_token_store store;
  ares_resolver names;
  login_surroundings around;
  server_login of;
};

}  // namespace hawser::testing

// SPDX-License-Identifier: MIT
// When a login is refreshed, by the clock alone. What a refresh does is tested in server_login_test.
#include "../../oauth/token_refresh.hpp"

#include "../../oauth/store/memory_credential_store.hpp"
#include "../support/ut.hpp"

namespace token_refresh_test {

using namespace hawser;

struct refresh_fixture {
  explicit refresh_fixture(oauth_settings settings = {})
      : options{.name = "r", .url = "https://mcp.example/mcp", .settings = std::move(settings)} {}

  void set_login(const token_set& tokens) {
    const login_key key{.issuer = "https://as.example", .resource = options.url, .client = "me"};
    known.set({.key = key, .tokens = tokens}, current_login::origin::stored);
  }
  bool due_at(std::int64_t second) {
    now = second;
    return refresh.due();
  }

  loop l;
  std::int64_t now = 0;
  int new_tokens = 0;
  memory_credential_store store;
  ares_resolver names;
  login_context shared{.event_loop = l, .store = store, .names = names, .now = [this] { return now; }};
  server_login_options options;
  login_requirement requirement{{}};
  current_login known{shared, options, [this] { ++new_tokens; }};
  oauth_http_factory connections{shared, options};
  token_refresh refresh{shared, options, known, requirement, connections};
};

token_set tokens_for(std::int64_t obtained_at, std::int64_t expires_at) {
  return {
      .access = secret{"access"}, .refresh = secret{"refresh"}, .expires_at = expires_at, .obtained_at = obtained_at};
}

const suite<"token refresh"> tests = [] {
  "E19 tokens are due a minute before they expire, or in the last tenth of a short lifetime"_test = [] {
    refresh_fixture f;
    f.set_login(tokens_for(1000, 4600));
    expect(!f.due_at(1000) && !f.due_at(4539) && f.due_at(4540) && f.due_at(1'000'000));
    f.set_login(tokens_for(1000, 1100));
    expect(!f.due_at(1089) && f.due_at(1090));
  };

  "E19 tokens that do not say when they expire, and a clock that was set back, make nothing due"_test = [] {
    refresh_fixture f;
    f.set_login(tokens_for(1000, 0));
    expect(!f.due_at(1'000'000));
    f.set_login(tokens_for(1000, 1000));
    expect(!f.due_at(999) && f.due_at(1000));
  };

  "without a refresh token nothing is due, except for a client that logs in by itself"_test = [] {
    refresh_fixture person;
    expect(!person.refresh.possible() && !person.due_at(0));
    token_set tokens = tokens_for(0, 100);
    tokens.refresh = {};
    person.set_login(tokens);
    expect(!person.refresh.possible() && !person.due_at(100));
    refresh_fixture program{{.grant = oauth_settings::grant_kind::client_credentials}};
    expect(program.refresh.possible() && !program.due_at(0)) << "there are no tokens yet";
    program.set_login(tokens);
    expect(program.due_at(100));
  };

  "only another access token is a new one"_test = [] {
    refresh_fixture f;
    token_set tokens = tokens_for(0, 100);
    f.set_login(tokens);
    const std::uint64_t serial = f.known.serial();
    tokens.refresh = secret{"rotated"};
    f.set_login(tokens);
    expect(f.known.serial() == serial && f.new_tokens == 1);
    expect(f.known.get()->tokens.refresh == secret{"rotated"});
    tokens.access = secret{"another"};
    f.set_login(tokens);
    expect(f.known.serial() != serial && f.new_tokens == 2);
    expect(f.known.request_credentials().fields.reveal() == "Authorization: Bearer another\r\n");
  };
};

}  // namespace token_refresh_test

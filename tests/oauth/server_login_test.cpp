// SPDX-License-Identifier: MIT
// The login of one server, without the server: when it is renewed, by whom, and what a clock has to say about it.
#include "../../oauth/server_login.hpp"

#include "../../runtime/async/sleep.hpp"
#include "../../runtime/io/dns.hpp"
#include "../support/every_step.hpp"
#include "../support/server_login_fixture.hpp"

namespace server_login_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::fake_authorization_server;
using testing::fake_response;
using testing::stored_login;

constexpr std::int64_t hour = 3600;
constexpr std::int64_t year = hour * 24 * 365;

std::int64_t jump = 0;  // of the clock, in the test that runs

using fixture = testing::server_login_fixture;
using visit = std::function<task<void>(fixture&, fake_authorization_server&)>;

task<void> visiting(loop& l, fake_authorization_server& at, visit what) {
  const testing::counted alive;
  fixture h{l, at};
  auto saved = co_await h.store.save(at.resource(), stored_login(at));
  expect(saved.has_value());
  co_await what(h, at);
  co_await h.of.close();
}

void with_login(fake_authorization_server& at, visit what) {
  loop l;
  l.run(visiting(l, at, std::move(what)));
}

// Whether what it gives out is good; the server is asked, as it would be.
bool is_good(const credentials& grant, const fake_authorization_server& at) {
  const std::string answer = testing::ask_loopback(
      at.http_server().url("/mcp"), R"({"jsonrpc":"2.0","id":1,"method":"ping"})", grant.fields.reveal());
  return answer.starts_with("HTTP/1.1 200");
}

task<void> asks_often(fixture& h, fake_authorization_server& at, int renewals) {
  for (int i = 0; i < 30; ++i) {
    auto grant = co_await h.of.acquire();
    expect(grant.has_value()) << (grant ? "" : grant.error().what);
    expect(grant && is_good(*grant, at)) << i;
  }
  expect(at.counts().refreshes == renewals) << at.counts().refreshes;
}

task<void> refuse(server_login& of, auth_challenge why, result<credentials>& into) {
  into = co_await of.on_challenge(std::move(why));
}

const suite<"server login"> tests = [] {
  "E11 what is no word of OAuth does not end a login, what is one does not delete it unless it says so"_test = [] {
    const auto after = [](const std::string& said) {
      fake_authorization_server at;
      at.replace("/token", [said](const auto&, const auto&) {
        return fake_response{.status = "404 Not Found", .body = R"({"error":")" + said + "\"}"};
      });
      std::string state;
      with_login(at, [&state](fixture& h, fake_authorization_server& server) -> task<void> {
        auto grant = co_await h.of.acquire();
        expect(grant.has_value());
        auto refused = co_await h.of.on_challenge({.status = 401, .serial = grant ? grant->serial : 0});
        expect(refused.has_error() && refused.error().code == errc::auth);
        auto kept = co_await h.store.find_for_server(server.resource());
        state = h.of.is_login_missing() ? "over" : "there";
        state += kept && kept->has_value() ? " and kept" : " and gone";
      });
      return state;
    };
    expect(after("Not Found") == "there and kept") << after("Not Found");
    expect(after("invalid_scope") == "over and kept");
    expect(after("invalid_grant") == "over and gone");
    expect(after("invalid_client") == "over and gone");
  };

  "a login of before is not used for whom the settings do not trust now"_test = [] {
    fake_authorization_server at;
    const auto used = [&](const oauth_settings& settings) {
      loop l;
      return l.run([](loop& on, fake_authorization_server& server, oauth_settings now) -> task<bool> {
        fixture h{on, server};
        auto saved = co_await h.store.save(server.resource(), stored_login(server));
        expect(saved.has_value());
        server_login of{
            h.around,
            {.name = "r", .url = server.resource(), .settings = std::move(now), .connection = fixture::connection}};
        auto grant = co_await of.acquire();
        co_await of.close();
        co_await h.of.close();
        co_return grant && !grant->fields.empty();
      }(l, at, settings));
    };
    expect(used({}));
    expect(used({.issuer = at.issuer()}));
    expect(used({.client_id = "me"}));
    expect(!used({.issuer = "https://another.example"}));
    expect(!used({.client_id = "another"}));
    expect(!used({.grant = oauth_settings::grant_kind::client_credentials}));
  };

  "E18 a scope that was missing once does not make a renewal that fails the end of the login"_test = [] {
    fake_authorization_server at;
    with_login(at, [](fixture& h, fake_authorization_server& server) -> task<void> {
      auto grant = co_await h.of.acquire();
      expect(fatal(grant.has_value()));
      auth_challenge more{.status = 403, .serial = grant->serial};
      more.challenges.emplace_back(R"(Bearer error="insufficient_scope", scope="x")");
      auto forbidden = co_await h.of.on_challenge(std::move(more));
      expect(forbidden.has_error());
      expect(h.of.needs_login());
      server.replace("/token",
                     [](const auto&, const auto&) { return fake_response{.status = "503 Busy", .body = "{}"}; });
      auto refused = co_await h.of.on_challenge({.status = 401, .serial = grant->serial});
      expect(refused.has_error());
      expect(!h.of.is_login_missing());
    });
  };

  "whoever looks after the server is told that somebody has to log in, whichever request finds it out"_test = [] {
    fake_authorization_server at;
    int lost = 0;
    loop l;
    l.run([](loop& on, fake_authorization_server& server, int& told) -> task<void> {
      fixture h{on, server};
      server_login of{
          h.around,
          {.name = "r", .url = server.resource(), .connection = fixture::connection, .on_login_needed = [&told] {
             ++told;
           }}};
      auto nothing = co_await of.on_challenge({.status = 401});
      expect(nothing.has_error() && nothing.error().code == errc::auth);
      expect(of.is_login_missing());
      auth_challenge more{.status = 403};
      more.challenges.emplace_back(R"(Bearer error="insufficient_scope", scope="x")");
      auto refused = co_await of.on_challenge(std::move(more));
      expect(refused.has_error());
      expect(!of.is_login_missing()) << "a scope that is missing is not the end of the login";
      co_await of.close();
      co_await h.of.close();
    }(l, at, lost));
    expect(lost == 1_i);
  };

  "a login is renewed before it expires, once, and not before that"_test = [] {
    fake_authorization_server at;
    with_login(at, [](fixture& h, fake_authorization_server& on) -> task<void> {
      co_await asks_often(h, on, 0);
      h.now += hour - 30;
      co_await asks_often(h, on, 1);
    });
  };

  "E19 a clock that jumps forward by an hour or a year costs one renewal"_test = [] {
    for (const std::int64_t far : {hour, year}) {
      jump = far;
      fake_authorization_server at;
      with_login(at, [](fixture& h, fake_authorization_server& on) -> task<void> {
        co_await asks_often(h, on, 0);
        h.now += jump;
        co_await asks_often(h, on, 1);
      });
    }
  };

  "E19 a clock that jumps back costs nothing, and a refusal is what counts"_test = [] {
    for (const std::int64_t far : {hour, year}) {
      jump = far;
      fake_authorization_server at;
      with_login(at, [](fixture& h, fake_authorization_server& on) -> task<void> {
        auto before = co_await h.of.acquire();
        expect(fatal(before.has_value()));
        h.now -= jump;
        co_await asks_often(h, on, 0);
        on.expire();
        auth_challenge why{.status = 401, .serial = before->serial};
        auto after = co_await h.of.on_challenge(std::move(why));
        expect(after.has_value() and is_good(*after, on));
        co_await asks_often(h, on, 1);
        h.now += jump;  // somebody has set it right
        co_await asks_often(h, on, 2);
      });
    }
  };

  "E19 a server whose tokens are over when they arrive, or that does not say, is not asked for them all the time"_test =
      [] {
        for (const char* said : {"0", "-1", ""}) {
          fake_authorization_server at{{.expires_in = said}};
          with_login(at, [](fixture& h, fake_authorization_server& on) -> task<void> {
            h.now += hour;
            co_await asks_often(h, on, 1);
          });
        }
      };

  "E13 T-29 many refusals at once lead to one renewal, and late ones of the old token to none"_test = [] {
    fake_authorization_server at;
    with_login(at, [](fixture& h, fake_authorization_server& on) -> task<void> {
      auto before = co_await h.of.acquire();
      expect(fatal(before.has_value()));
      on.expire();
      std::vector<result<credentials>> got(100, credentials{});
      scope all{co_await this_context()};
      for (auto& one : got) {
        auth_challenge why{.status = 401, .serial = before->serial};
        all.spawn(refuse(h.of, std::move(why), one));
      }
      co_await all.join();
      for (const auto& one : got) expect(one.has_value() and one->serial == before->serial + 1);
      auth_challenge late{.status = 401, .serial = before->serial};
      auto again = co_await h.of.on_challenge(std::move(late));
      expect(again.has_value() and is_good(*again, on));
      expect(on.counts().refreshes == 1_i);
    });
  };

  "T-29 whoever gives up waiting does not end the renewal that others wait for, or that has begun"_test = [] {
    fake_authorization_server at;
    with_login(at, [](fixture& h, fake_authorization_server& on) -> task<void> {
      auto before = co_await h.of.acquire();
      expect(fatal(before.has_value()));
      on.replace("/token", [](const auto&, const auto& otherwise) {
        fake_response said = otherwise();
        std::this_thread::sleep_for(200ms);
        return said;
      });
      on.expire();
      result<credentials> got = credentials{};
      scope impatient{co_await this_context()};
      auth_challenge why{.status = 401, .serial = before->serial};
      impatient.spawn(refuse(h.of, std::move(why), got));
      for (int i = 0; i < 500 && on.counts().refreshes == 0; ++i) {
        auto slept = co_await sleep_for(2ms);
        expect(slept.has_value());
      }
      impatient.request_stop();
      co_await impatient.join();
      expect(got.has_error() and got.error().code == errc::cancelled);
      auth_challenge patient{.status = 401, .serial = before->serial};
      auto after = co_await h.of.on_challenge(std::move(patient));
      expect(after.has_value() and is_good(*after, on));
      expect(on.counts().refreshes == 1_i and on.counts().replays == 0_i);
    });
  };

  "T-20 a login for another resource is not used, wherever it came from"_test = [] {
    fake_authorization_server at;
    loop l;
    l.run([](loop& on, fake_authorization_server& server) -> task<void> {
      fixture h{on, server};
      login other = stored_login(server);
      other.key.resource = "https://mcp.example/other";
      auto saved = co_await h.store.save(server.resource(), std::move(other));
      expect(saved.has_value());
      auto grant = co_await h.of.acquire();
      expect(grant.has_value() and grant->fields.empty() and grant->serial == 0_ul);
      co_await h.of.close();
    }(l, at));
  };

  "E15 what was refused after an answer was lost stays in the store, but is not taken from there again"_test = [] {
    fake_authorization_server at;
    with_login(at, [](fixture& h, fake_authorization_server& on) -> task<void> {
      auto before = co_await h.of.acquire();
      expect(fatal(before.has_value()));
      on.replace("/token", [](const auto&, const auto& otherwise) {
        fake_response lost = otherwise();
        if (lost.status.starts_with("200")) lost.how = fake_response::ending::reset;
        return lost;
      });
      on.expire();
      auth_challenge why{.status = 401, .serial = before->serial};
      auto after = co_await h.of.on_challenge(std::move(why));
      expect(after.has_error() and h.of.is_login_missing());
      auto nothing = co_await h.of.acquire();
      expect(fatal(nothing.has_value()));
      expect(nothing->fields.empty());
      auth_challenge again{.status = 401, .serial = nothing->serial};
      after = co_await h.of.on_challenge(std::move(again));
      expect(after.has_error() and after.error().what.find("invalid_grant") != std::string::npos)
          << (after ? "" : after.error().what);
      expect(h.of.is_login_missing() and on.counts().replays == 1_i);
      auto kept = co_await h.store.find_for_server(on.resource());
      expect(kept.has_value() and kept->has_value());
      // Somebody logs in with another program.
      auto saved = co_await h.store.save(on.resource(), stored_login(on));
      expect(saved.has_value());
      auth_challenge late{.status = 401, .serial = nothing->serial};
      after = co_await h.of.on_challenge(std::move(late));
      expect(after.has_value() and is_good(*after, on)) << (after ? "" : after.error().what);
    });
  };

  "logging out in the middle of a renewal leaves no login"_test = [] {
    fake_authorization_server at;
    with_login(at, [](fixture& h, fake_authorization_server& on) -> task<void> {
      auto before = co_await h.of.acquire();
      expect(fatal(before.has_value()));
      on.replace("/token", [](const auto&, const auto& otherwise) {
        fake_response said = otherwise();
        std::this_thread::sleep_for(100ms);
        return said;
      });
      on.expire();
      result<credentials> got = credentials{};
      scope work{co_await this_context()};
      auth_challenge why{.status = 401, .serial = before->serial};
      work.spawn(refuse(h.of, std::move(why), got));
      for (int i = 0; i < 500 && on.counts().refreshes == 0; ++i) {
        auto slept = co_await sleep_for(2ms);
        expect(slept.has_value());
      }
      auto gone = co_await h.of.log_out();
      expect(gone.has_value());
      co_await work.join();
      auto kept = co_await h.store.find_for_server(on.resource());
      expect(kept.has_value() and not kept->has_value()) << "a logout is not undone";
      auto now = co_await h.of.acquire();
      expect(now.has_value() and now->fields.empty());
    });
  };

  "T-29 a login by a person is not undone by the renewal of the old one that was under way"_test = [] {
    fake_authorization_server at;
    with_login(at, [](fixture& h, fake_authorization_server& on) -> task<void> {
      auto before = co_await h.of.acquire();
      expect(fatal(before.has_value()));
      on.replace("/token", [](const auto& asked, const auto& otherwise) {
        fake_response said = otherwise();
        if (asked.body.find("refresh_token=") != std::string::npos) std::this_thread::sleep_for(300ms);
        return said;
      });
      on.expire();
      result<credentials> got = credentials{};
      scope work{co_await this_context()};
      auth_challenge why{.status = 401, .serial = before->serial};
      work.spawn(refuse(h.of, std::move(why), got));
      for (int i = 0; i < 500 && on.counts().refreshes == 0; ++i) {
        auto slept = co_await sleep_for(2ms);
        expect(slept.has_value());
      }
      // The person is faster than the renewal.
      testing::pasting_user person;
      login_options wish{.scope = "mcp:admin", .again = true};
      auto done = co_await h.of.authenticate(std::move(wish), person);
      expect(done.has_value()) << (done ? "" : done.error().what);
      co_await work.join();
      auto kept = co_await h.store.find_for_server(on.resource());
      expect(fatal(kept.has_value() and kept->has_value()));
      expect((*kept)->tokens.scope == "mcp:basic mcp:admin") << (*kept)->tokens.scope;
      expect(h.of.summary()->scope == "mcp:basic mcp:admin") << h.of.summary()->scope;
    });
  };

  "a stop at any step of a renewal leaves nothing, and loses no token"_test = [] {
    fake_authorization_server at;
    testing::every_step([&](loop& l) {
      return visiting(l, at, [](fixture& h, fake_authorization_server& on) -> task<void> {
        auto before = co_await h.of.acquire();
        if (!before) co_return;
        on.expire();
        auth_challenge why{.status = 401, .serial = before->serial};
        auto after = co_await h.of.on_challenge(std::move(why));
        ignore(after, "it may be stopped");
      });
    });
    expect(at.counts().replays == 0_i);
  };

  "SEC-4 what a server asks for does not widen the configured scope of a program that logs in as itself"_test = [] {
    const auto asked = [](const std::string& configured) {
      fake_authorization_server at;
      at.know("me", "a-secret-of-its-own");
      std::string scope;
      at.replace("/token", [&scope](const auto& request, const auto& otherwise) {
        scope = testing::parse_form(request.body)["scope"];
        return otherwise();
      });
      loop l;
      l.run([](loop& on, fake_authorization_server& server, std::string own_scope) -> task<void> {
        fixture h{on, server};
        oauth_settings settings{.issuer = server.issuer(), .client_id = "me", .client_secret = "a-secret-of-its-own"};
        settings.scope = std::move(own_scope);
        settings.grant = oauth_settings::grant_kind::client_credentials;
        server_login of{
            h.around, {.name = "r", .url = server.resource(), .settings = settings, .connection = fixture::connection}};
        auto grant = co_await of.acquire();
        expect(grant.has_value());
        auth_challenge why{.status = 401, .serial = grant ? grant->serial : 0};
        why.challenges.emplace_back(R"(Bearer scope="admin:everything delete:all")");
        auto refused = co_await of.on_challenge(std::move(why));
        ignore(refused, "what was asked for is looked at");
        co_await of.close();
        co_await h.of.close();
      }(l, at, configured));
      return scope;
    };
    expect(asked("read") == "read") << asked("read");
    expect(asked("") == "admin:everything delete:all") << asked("");
  };

  "E18 a renewal that hangs does not hold up an end by more than it may take in all"_test = [] {
    fake_authorization_server at;
    with_login(at, [](fixture& h, fake_authorization_server& on) -> task<void> {
      auto before = co_await h.of.acquire();
      expect(fatal(before.has_value()));
      on.replace("/token",
                 [](const auto&, const auto&) { return fake_response{.how = fake_response::ending::silence}; });
      on.expire();
      result<credentials> got = credentials{};
      scope impatient{co_await this_context()};
      auth_challenge why{.status = 401, .serial = before->serial};
      impatient.spawn(refuse(h.of, std::move(why), got));
      auto slept = co_await sleep_for(2'900ms);
      expect(slept.has_value());
      impatient.request_stop();
      co_await impatient.join();
      const time_point began = h.home.now();
      co_await h.of.close();
      expect(h.home.now() - began < 2s);
    });
  };
};

}  // namespace server_login_test

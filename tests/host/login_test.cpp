// SPDX-License-Identifier: MIT
// A hub and servers that want a login: nobody is asked unless somebody wants to log in, and who did once stays logged
// in, whatever becomes of tokens and of the server that gives them.
#include "login_visits.hpp"

#include <atomic>

namespace login_test {

using namespace hawser;
using namespace hawser::testing;
using namespace hawser::testing::logins;
using namespace std::chrono_literals;
using state = server_state;

// However often the person would log in, it is no more than this.
task<void> is_never_content(hub_fixture& h, int most) {
  pasting_user person;
  std::string why;
  for (int i = 0; i < 5; ++i) {
    const std::size_t before = server->http_server().asked("tools/call");
    const call_outcome refused = co_await h.call("r__echo");
    expect(refused.failed_with(errc::auth, execution::no)) << refused.said();
    expect(server->http_server().asked("tools/call") == before + 1) << "it is not tried again with the same login";
    auto done = co_await h.of.authenticate("r", {}, person);
    if (!done) why = done.error().what;
  }
  expect(server->counts().authorizations == most) << server->counts().authorizations;
  expect(contains(why, "nobody is asked once more")) << why;
}

const suite<"login"> tests = [] {
  "C14 a server that needs a login is not retried until a login, which then lasts"_test = [] {
    fake_authorization_server at;
    visit(at, [](hub_fixture& h) -> task<void> {
      const server_status now = co_await h.until("r", state::needs_auth);
      expect(contains(now.advice, "hawser auth r")) << now.advice;
      expect(server->counts().registrations == 0_i and server->counts().authorizations == 0_i) << "nobody was asked";
      pasting_user person;
      co_await logs_in(h, person);
      expect(h.of.status("r")->state == state::ready);
      expect(person.asked("scope") == "mcp:basic") << person.asked("scope");
      expect(person.asked("resource") == server->resource());
      const call_outcome got = co_await h.call("r__echo");
      expect(got.said() == "ok") << got.said();

      loop other;  // another program of the same person, later
      hub_options options{.login_file = login_file};
      testing::hub_fixture second{other, {.servers = {remote()}}, std::move(options), nullptr};
      other.run(testing::run_in_hub_fixture(second, [](hub_fixture& late) -> task<void> {
        co_await late.until("r", state::ready);
        const call_outcome again = co_await late.call("r__echo");
        expect(again.said() == "ok") << again.said();
      }));
      expect(server->counts().authorizations == 1_i);
    });
  };

  "E10 two concurrent logins both succeed and both last"_test = [] {
    fake_authorization_server at;
    visit(at, [](hub_fixture& h) -> task<void> {
      hub_options options{.login_file = login_file};
      hub other{h.home, {.servers = {remote()}}, std::move(options)};
      auto opened = co_await other.open();
      expect(opened.has_value());
      pasting_user here;
      pasting_user there;
      scope both{co_await this_context()};
      both.spawn(logs_in_at(h.of, here));
      both.spawn(logs_in_at(other, there));
      co_await both.join();
      expect(server->counts().authorizations == 2_i and server->counts().codes == 2_i);
      expect(here.asked("state") != there.asked("state"));
      expect(here.asked("code_challenge") != there.asked("code_challenge"));
      for (int expiry = 0; expiry < 3; ++expiry) {
        for (hub* one : {&h.of, &other}) {
          call_outcome got;
          co_await record_call(*one, got, "r__echo", "{}");
          // Who takes over the other's login, younger than its own, finds out by a call that it is over, too.
          if (got.failure) got = {};
          if (got.ends == 0) co_await record_call(*one, got, "r__echo", "{}");
          expect(got.said() == "ok") << expiry << got.said();
        }
        server->expire();
      }
      expect(server->counts().authorizations == 2_i and server->counts().replays == 0_i);
      auto closed = co_await other.close();
      expect(closed.has_value());
    });
  };

  "E10 a new login as another client is used by a program that is already running"_test = [] {
    fake_authorization_server at;
    visit_again(at, [](hub_fixture& h) -> task<void> {
      co_await h.until("r", state::ready);
      server->expire();
      login newer = stored_login(*server, "mcp:basic", "another");
      newer.tokens.obtained_at += 60;
      testing::keep_login(login_file, server->resource(), std::move(newer));
      const call_outcome got = co_await h.call("r__echo");
      expect(got.said() == "ok") << got.said();
      expect(token_requests() == 0_i) << "what the other one has is new";
    });
  };

  "E10 who logs in with another program, as the advice says, need not restart this one"_test = [] {
    fake_authorization_server at;
    visit(at, [](hub_fixture& h) -> task<void> {
      co_await h.until("r", state::needs_auth);
      testing::keep_login(login_file, server->resource(), stored_login(*server));
      auto there = co_await h.of.ready("r");
      expect(there.has_value()) << (there ? "" : there.error().what);
      const call_outcome got = co_await h.call("r__echo");
      expect(got.said() == "ok") << got.said();
    });
  };

  "C14 a challenge that is missing, malformed or one of three does not keep anybody from logging in"_test = [] {
    for (const char* fields : {"", "WWW-Authenticate: Bearer realm=\"\r\n", "WWW-Authenticate: =,=,\"\r\n",
                               "WWW-Authenticate: Basic realm=\"a, b\", Digest a=b\r\nWWW-Authenticate: bEaReR\r\n"}) {
      fake_authorization_server at;
      at.replace("/mcp", [=](const auto&, const auto& otherwise) {
        fake_response said = otherwise();
        if (said.status.starts_with("401")) said.fields = fields;
        return said;
      });
      visit(at, [](hub_fixture& h) -> task<void> {
        co_await h.until("r", state::needs_auth);
        pasting_user person;
        co_await logs_in(h, person);
        expect(person.asked("scope") == "mcp:basic mcp:admin") << "all that the resource knows";
        const call_outcome got = co_await h.call("r__echo");
        expect(got.said() == "ok") << got.said();
      });
    }
  };

  "C14 a server that refuses a call with every token is asked twice, not more"_test = [] {
    fake_authorization_server at;
    visit_again(at, [](hub_fixture& h) -> task<void> {
      co_await h.until("r", state::ready);
      server->replace("/mcp", [](const auto& asked, const auto& otherwise) {
        if (!asked.asks("tools/call")) return otherwise();
        return fake_response{.status = "401 Unauthorized", .body = "", .type = "text/plain"};
      });
      const std::size_t before = server->http_server().asked("tools/call");
      const call_outcome got = co_await h.call("r__echo");
      expect(got.failed_with(errc::auth, execution::no)) << got.said();
      expect(server->http_server().asked("tools/call") == before + 2) << server->http_server().asked("tools/call");
      expect(server->counts().refreshes == 1_i) << server->counts().refreshes;
    });
  };

  "C14 a login that can be renewed is not given up because a ping was refused twice"_test = [] {
    fake_authorization_server at;
    visit_again(at, [](hub_fixture& h) -> task<void> {
      co_await h.until("r", state::ready);
      static std::atomic<int> refusals;
      refusals = 0;
      server->replace("/mcp", [](const auto& asked, const auto& otherwise) {
        if (asked.asks("tools/call") && refusals == 0) return fake_response{.how = fake_response::ending::reset};
        if (!asked.asks("ping") || refusals == 2) return otherwise();
        ++refusals;
        return fake_response{.status = "401 Unauthorized", .body = "", .type = "text/plain"};
      });
      const call_outcome broken = co_await h.call("r__echo");
      expect(broken.failure.has_value()) << broken.said();
      call_outcome got;
      for (int i = 0; i < 100 && got.said() != "ok"; ++i) {
        auto slept = co_await sleep_for(20ms);
        expect(slept.has_value());
        expect(h.of.status("r")->state != state::needs_auth) << h.of.status("r")->reason;
        if (refusals == 2) got = co_await h.call("r__echo");
      }
      expect(got.said() == "ok") << got.said() << refusals.load();
      expect(server->counts().authorizations == 0_i);
    });
  };

  "E21 T-26 another authorization server is another registration and another login, and learns nothing of the first"_test =
      [] {
        static fake_authorization_server* second;
        fake_authorization_server at{{.method = "client_secret_post"}};
        fake_authorization_server other{{.method = "client_secret_post", .resource = at.resource()}};
        second = &other;
        visit(at, [](hub_fixture& h) -> task<void> {
          co_await h.until("r", state::needs_auth);
          pasting_user person;
          co_await logs_in(h, person);
          const auto first = kept_login(login_file, server->resource());
          expect(fatal(first.has_value() and not first->client.client_secret.empty()));
          server->move_to(*second);
          server->revoke_all();
          const call_outcome refused = co_await h.call("r__echo");
          expect(refused.failure.has_value()) << refused.said();
          co_await h.until("r", state::needs_auth);
          expect(second->counts().authorizations == 0_i) << "not without the person";
          co_await logs_in(h, person);
          expect(second->counts().registrations == 1_i and second->counts().codes == 1_i);
          const call_outcome got = co_await h.call("r__echo");
          expect(got.said() == "ok") << got.said();
          for (const auto& one : second->http_server().seen()) {
            for (const secret& hidden : {first->client.client_secret, first->tokens.access, first->tokens.refresh})
              expect(not contains(one.head + one.body, hidden.reveal())) << one.head;
          }
          const auto now = kept_login(login_file, server->resource());
          expect(now.has_value() and now->key.issuer == second->issuer() and
                 now->client.client_secret != first->client.client_secret);
        });
      };

  "a tool that needs another scope says so, and a login for it keeps what there was"_test = [] {
    fake_authorization_server at;
    visit_again(at, [](hub_fixture& h) -> task<void> {
      co_await h.until("r", state::ready);
      const call_outcome refused = co_await h.call("r__admin");
      expect(refused.failed_with(errc::auth, execution::no)) << refused.said();
      expect(contains(refused.said(), "mcp:admin") and contains(refused.said(), "hawser auth r")) << refused.said();
      expect(h.of.status("r")->state == state::ready) << "all else goes on";
      const call_outcome other = co_await h.call("r__echo");
      expect(other.said() == "ok" and server->counts().refreshes == 0_i) << other.said();
      pasting_user person;
      co_await logs_in(h, person);
      expect(person.asked("scope") == "mcp:basic mcp:admin") << person.asked("scope");
      const call_outcome got = co_await h.call("r__admin");
      expect(got.said() == "done") << got.said();
    });
  };

  "C15 a server that asks again for the scope that it has given gets no second login"_test = [] {
    fake_authorization_server at;
    visit_again(at, [](hub_fixture& h) -> task<void> {
      co_await h.until("r", state::ready);
      server->replace("/mcp", [](const auto& asked, const auto& otherwise) {
        if (!asked.asks("tools/call")) return otherwise();
        return fake_response{
            .status = "403 Forbidden",
            .body = "",
            .fields = "WWW-Authenticate: Bearer error=\"insufficient_scope\", scope=\"mcp:admin\"\r\n"};
      });
      co_await is_never_content(h, 1);
    });
  };

  "C15 T-27 a server that wants one scope after the other gets three more logins an hour, not a fourth"_test = [] {
    fake_authorization_server at;
    visit_again(at, [](hub_fixture& h) -> task<void> {
      co_await h.until("r", state::ready);
      auto count = std::make_shared<std::atomic<int>>(0);
      server->replace("/mcp", [count](const auto& asked, const auto& otherwise) {
        if (!asked.asks("tools/call")) return otherwise();
        const std::string scope = "scope-" + std::to_string((*count)++);
        return fake_response{
            .status = "403 Forbidden",
            .body = "",
            .fields = "WWW-Authenticate: Bearer error=\"insufficient_scope\", scope=\"" + scope + "\"\r\n"};
      });
      co_await is_never_content(h, 3);
    });
  };

  "logging out forgets the login, has it revoked, and the server wants one again"_test = [] {
    fake_authorization_server at;
    visit_again(at, [](hub_fixture& h) -> task<void> {
      co_await h.until("r", state::ready);
      auto gone = co_await h.of.log_out("r");
      expect(fatal(gone.has_value())) << (gone ? "" : gone.error().what);
      expect(gone->removed == 1_ul and gone->revoked == 1_ul and gone->failures.empty());
      expect(server->counts().revocations == 1_i);
      expect(not kept_login(login_file, server->resource()).has_value());
      co_await h.until("r", state::needs_auth);
      const call_outcome refused = co_await h.call("r__echo");
      expect(refused.failed_with(errc::auth, execution::no)) << refused.said();
      expect(contains(refused.said(), "wants a login")) << refused.said();
      expect(token_requests() == 0_i);
    });
  };

  "logging out while the login is being renewed leaves none behind"_test = [] {
    fake_authorization_server at;
    visit_again(at, [](hub_fixture& h) -> task<void> {
      co_await h.until("r", state::ready);
      server->replace("/token", [](const auto&, const auto& otherwise) {
        std::this_thread::sleep_for(300ms);
        return otherwise();
      });
      server->expire();
      scope work{co_await this_context()};
      call_outcome got;
      work.spawn(record_call(h.of, got, "r__echo", "{}"));
      for (int i = 0; i < 500 && token_requests() == 0; ++i) {
        auto slept = co_await sleep_for(5ms);
        expect(slept.has_value());
      }
      auto gone = co_await h.of.log_out("r");
      expect(gone.has_value()) << (gone ? "" : gone.error().what);
      co_await work.join();
      expect(got.ends == 1_i);
      expect(not kept_login(login_file, server->resource()).has_value()) << "a logout is not undone: " << got.said();
    });
  };
};

}  // namespace login_test

// SPDX-License-Identifier: MIT
// A hub and servers that want a login: nobody is asked unless somebody wants to log in, and who did once stays logged
// in, whatever becomes of tokens and of the server that gives them.
#include <atomic>

#include "../support/hub_house.hpp"
#include "../support/login_house.hpp"
#include "../support/temporary_folder.hpp"

namespace {

using namespace hawser;
using namespace std::chrono_literals;
using testing::call_outcome;
using testing::contains;
using testing::earlier_login;
using testing::fake_answer;
using testing::fake_authorization_server;
using testing::hub_house;
using testing::kept_login;
using testing::pasting_person;
using testing::with_hub;
using state = server_state;

// Of the test that runs.
fake_authorization_server* server;
std::string login_file;

server_settings remote(const std::string& name = "r") {
  server_settings made{.name = name, .transport = http_settings{.url = server->resource()}};
  made.protocol.era = protocol_choice::kind::legacy;
  made.restarts.first_pause = 10ms;
  return made;
}

void visit(fake_authorization_server& at, testing::hub_body what) {
  const testing::temporary_folder folder;
  server = &at;
  login_file = folder / "auth.json";
  hub_options options{.login_file = login_file};
  with_hub(what, {.servers = {remote()}}, std::move(options));
}

// The same with somebody who has logged in before.
void visit_again(fake_authorization_server& at, testing::hub_body what, const std::string& scope = "mcp:basic") {
  const testing::temporary_folder folder;
  server = &at;
  login_file = folder / "auth.json";
  testing::keep_login(login_file, at.resource(), earlier_login(at, scope));
  hub_options options{.login_file = login_file};
  with_hub(what, {.servers = {remote()}}, std::move(options));
}

int token_requests() {
  int count = 0;
  for (const auto& one : server->web().seen()) count += one.head.starts_with("POST /token ") ? 1 : 0;
  return count;
}

task<std::vector<call_outcome>> calls_at_once(hub_house& h, std::size_t count, std::string tool = "r__echo") {
  std::vector<call_outcome> got(count);
  scope all{co_await this_context()};
  for (call_outcome& one : got) all.spawn(call_into(h.of, one, tool, "{}"));
  co_await all.join();
  co_return got;
}

task<void> logs_in_at(hub& h, pasting_person& person) {
  auto done = co_await h.authenticate("r", {}, person);
  expect(done.has_value()) << (done ? "" : done.error().what);
}
task<void> logs_in(hub_house& h, pasting_person& person) { co_await logs_in_at(h.of, person); }

// However often the person would log in, it is no more than this.
task<void> is_never_content(hub_house& h, int most) {
  pasting_person person;
  std::string why;
  for (int i = 0; i < 5; ++i) {
    const std::size_t before = server->web().asked("tools/call");
    const call_outcome refused = co_await h.call("r__echo");
    expect(refused.failed_with(errc::auth, execution::no)) << refused.said();
    expect(server->web().asked("tools/call") == before + 1) << "it is not tried again with the same login";
    auto done = co_await h.of.authenticate("r", {}, person);
    if (!done) why = done.error().what;
  }
  expect(server->counts().authorizations == most) << server->counts().authorizations;
  expect(contains(why, "nobody is asked once more")) << why;
}

const suite<"login"> tests = [] {
  "C14 a server that wants a login is left alone until somebody logs in, who then stays logged in"_test = [] {
    fake_authorization_server at;
    visit(at, [](hub_house& h) -> task<void> {
      const server_status now = co_await h.until("r", state::needs_auth);
      expect(contains(now.advice, "hawser auth r")) << now.advice;
      expect(server->counts().registrations == 0_i and server->counts().authorizations == 0_i) << "nobody was asked";
      pasting_person person;
      co_await logs_in(h, person);
      expect(h.of.status("r")->state == state::ready);
      expect(person.asked("scope") == "mcp:basic") << person.asked("scope");
      expect(person.asked("resource") == server->resource());
      const call_outcome got = co_await h.call("r__echo");
      expect(got.said() == "ok") << got.said();

      loop other;  // another program of the same person, later
      hub_options options{.login_file = login_file};
      testing::hub_house second{other, {.servers = {remote()}}, std::move(options), nullptr};
      other.run(testing::in_hub_house(second, [](hub_house& late) -> task<void> {
        co_await late.until("r", state::ready);
        const call_outcome again = co_await late.call("r__echo");
        expect(again.said() == "ok") << again.said();
      }));
      expect(server->counts().authorizations == 1_i);
    });
  };

  "E10 two programs that log in at once each get in, and both stay in"_test = [] {
    fake_authorization_server at;
    visit(at, [](hub_house& h) -> task<void> {
      hub_options options{.login_file = login_file};
      hub other{h.home, {.servers = {remote()}}, std::move(options)};
      auto opened = co_await other.open();
      expect(opened.has_value());
      pasting_person here;
      pasting_person there;
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
          co_await call_into(*one, got, "r__echo", "{}");
          // Who takes over the other's login, younger than its own, finds out by a call that it is over, too.
          if (got.failure) got = {};
          if (got.ends == 0) co_await call_into(*one, got, "r__echo", "{}");
          expect(got.said() == "ok") << expiry << got.said();
        }
        server->expire();
      }
      expect(server->counts().authorizations == 2_i and server->counts().replays == 0_i);
      auto closed = co_await other.close();
      expect(closed.has_value());
    });
  };

  "E10 who logs in again, as another client, takes along a program that has been running all the time"_test = [] {
    fake_authorization_server at;
    visit_again(at, [](hub_house& h) -> task<void> {
      co_await h.until("r", state::ready);
      server->expire();
      login newer = earlier_login(*server, "mcp:basic", "another");
      newer.tokens.obtained_at += 60;
      testing::keep_login(login_file, server->resource(), std::move(newer));
      const call_outcome got = co_await h.call("r__echo");
      expect(got.said() == "ok") << got.said();
      expect(token_requests() == 0_i) << "what the other one has is new";
    });
  };

  "E10 who logs in with another program, as the advice says, need not restart this one"_test = [] {
    fake_authorization_server at;
    visit(at, [](hub_house& h) -> task<void> {
      co_await h.until("r", state::needs_auth);
      testing::keep_login(login_file, server->resource(), earlier_login(*server));
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
        fake_answer said = otherwise();
        if (said.status.starts_with("401")) said.fields = fields;
        return said;
      });
      visit(at, [](hub_house& h) -> task<void> {
        co_await h.until("r", state::needs_auth);
        pasting_person person;
        co_await logs_in(h, person);
        expect(person.asked("scope") == "mcp:basic mcp:admin") << "all that the resource knows";
        const call_outcome got = co_await h.call("r__echo");
        expect(got.said() == "ok") << got.said();
      });
    }
  };

  "C14 a server that refuses a call with every token is asked twice, not more"_test = [] {
    fake_authorization_server at;
    visit_again(at, [](hub_house& h) -> task<void> {
      co_await h.until("r", state::ready);
      server->replace("/mcp", [](const auto& asked, const auto& otherwise) {
        if (!asked.asks("tools/call")) return otherwise();
        return fake_answer{.status = "401 Unauthorized", .body = "", .type = "text/plain"};
      });
      const std::size_t before = server->web().asked("tools/call");
      const call_outcome got = co_await h.call("r__echo");
      expect(got.failed_with(errc::auth, execution::no)) << got.said();
      expect(server->web().asked("tools/call") == before + 2) << server->web().asked("tools/call");
      expect(server->counts().refreshes == 1_i) << server->counts().refreshes;
    });
  };

  "E13 a hundred calls whose token expires lead to one renewal, and each is answered"_test = [] {
    fake_authorization_server at;
    visit_again(at, [](hub_house& h) -> task<void> {
      co_await h.until("r", state::ready);
      for (int burst = 1; burst <= 3; ++burst) {
        server->expire();
        const auto got = co_await calls_at_once(h, 100);
        for (const call_outcome& one : got) expect(one.ends == 1 && one.said() == "ok") << one.said();
        expect(server->counts().refreshes == burst) << server->counts().refreshes;
      }
      expect(server->counts().replays == 0_i and server->counts().authorizations == 0_i);
    });
  };

  "E15 an answer that is lost is asked for once more, and what stands in the file is left there"_test = [] {
    fake_authorization_server at;
    visit_again(at, [](hub_house& h) -> task<void> {
      co_await h.until("r", state::ready);
      const auto before = kept_login(login_file, server->resource());
      server->replace("/token", [](const auto&, const auto& otherwise) {
        fake_answer lost = otherwise();
        if (lost.status.starts_with("200")) lost.how = fake_answer::ending::reset;
        return lost;
      });
      server->expire();
      const call_outcome got = co_await h.call("r__echo");
      expect(got.failed_with(errc::auth, execution::no)) << got.said();
      expect(contains(got.said(), "invalid_grant") and contains(got.said(), "hawser auth r")) << got.said();
      expect(token_requests() == 2_i) << token_requests();
      co_await h.until("r", state::needs_auth);
      expect(kept_login(login_file, server->resource()) == before);
    });
  };

  "E15 a server that gives some grace to a lost answer is not lost itself"_test = [] {
    fake_authorization_server at{{.rotates = false}};
    visit_again(at, [](hub_house& h) -> task<void> {
      co_await h.until("r", state::ready);
      auto losses = std::make_shared<int>(0);
      server->replace("/token", [losses](const auto&, const auto& otherwise) {
        fake_answer said = otherwise();
        if ((*losses)++ == 0) said.how = fake_answer::ending::reset;
        return said;
      });
      server->expire();
      const call_outcome got = co_await h.call("r__echo");
      expect(got.said() == "ok") << got.said();
      expect(token_requests() == 2_i) << token_requests();
    });
  };

  "E16 who is refused because another was faster uses what that one has kept"_test = [] {
    fake_authorization_server at;
    visit_again(at, [](hub_house& h) -> task<void> {
      co_await h.until("r", state::ready);
      server->replace("/token", [](const auto&, const auto&) {
        // Somebody who does not take the lead renews it just now.
        testing::keep_login(login_file, server->resource(), earlier_login(*server));
        return fake_answer{.status = "400 Bad Request", .body = R"({"error":"invalid_grant"})"};
      });
      server->expire();
      const call_outcome got = co_await h.call("r__echo");
      expect(got.said() == "ok") << got.said();
      expect(h.of.status("r")->state == state::ready and token_requests() == 1_i);
      expect(kept_login(login_file, server->resource()).has_value()) << "nothing is deleted";
    });
  };

  "E17 a refresh token that is not replaced is kept, and used again"_test = [] {
    fake_authorization_server at{{.rotates = false}};
    visit_again(at, [](hub_house& h) -> task<void> {
      co_await h.until("r", state::ready);
      const auto before = kept_login(login_file, server->resource());
      for (int i = 1; i <= 3; ++i) {
        server->expire();
        const call_outcome got = co_await h.call("r__echo");
        expect(got.said() == "ok" and server->counts().refreshes == i) << got.said();
      }
      const auto after = kept_login(login_file, server->resource());
      expect(fatal(before.has_value() and after.has_value()));
      expect(after->tokens.refresh == before->tokens.refresh and after->tokens.access != before->tokens.access);
      expect(after->tokens.scope == "mcp:basic" and after->asked_scope == "mcp:basic");
    });
  };

  "E18 while the authorization server is down, calls fail fast, nothing is lost, and then they work"_test = [] {
    fake_authorization_server at;
    visit_again(at, [](hub_house& h) -> task<void> {
      co_await h.until("r", state::ready);
      const auto before = kept_login(login_file, server->resource());
      server->replace("/token", [](const auto&, const auto&) {
        return fake_answer{.status = "503 Service Unavailable", .body = "later", .type = "text/plain"};
      });
      server->expire();
      const auto began = std::chrono::steady_clock::now();
      for (int i = 0; i < 20; ++i) {
        const call_outcome got = co_await h.call("r__echo");
        expect(got.failed_with(errc::auth, execution::no)) << got.said();
        expect(not contains(got.said(), "hawser auth")) << "a login would not help: " << got.said();
      }
      expect(std::chrono::steady_clock::now() - began < 10s);
      expect(token_requests() <= 4_i) << token_requests() << "and not one for each call";
      expect(h.of.status("r")->state != state::needs_auth);
      expect(kept_login(login_file, server->resource()) == before);
      server->restore("/token");
      call_outcome got;
      for (int i = 0; i < 100 && got.said() != "ok"; ++i) {
        auto slept = co_await sleep_for(200ms);
        expect(slept.has_value());
        got = co_await h.call("r__echo");
      }
      expect(got.said() == "ok") << got.said();
      expect(server->counts().refreshes == 1_i and server->counts().authorizations == 0_i);
    });
  };

  "E20 a login that was taken back needs a new one, and the server is asked for it once"_test = [] {
    fake_authorization_server at;
    visit_again(at, [](hub_house& h) -> task<void> {
      co_await h.until("r", state::ready);
      server->revoke_all();
      const auto got = co_await calls_at_once(h, 20);
      int told_why = 0;  // one that begins when the server is known to need a login is not told why again
      for (const call_outcome& one : got) {
        expect(one.ends == 1 && one.failure && one.failure->code == errc::auth) << one.said();
        expect(contains(one.said(), "hawser auth r")) << one.said();
        told_why += contains(one.said(), "invalid_grant") ? 1 : 0;
      }
      expect(told_why > 0_i);
      const server_status now = co_await h.until("r", state::needs_auth);
      expect(contains(now.reason, "invalid_grant") and contains(now.advice, "hawser auth r")) << now.reason;
      for (int i = 0; i < 5; ++i) {
        const call_outcome again = co_await h.call("r__echo");
        expect(again.failure.has_value() and again.failure->code == errc::auth) << again.said();
      }
      expect(token_requests() == 1_i) << token_requests();
      pasting_person person;
      co_await logs_in(h, person);
      const call_outcome works = co_await h.call("r__echo");
      expect(works.said() == "ok") << works.said();
    });
  };

  "E21 T-26 another authorization server is another registration and another login, and learns nothing of the first"_test =
      [] {
        static fake_authorization_server* second;
        fake_authorization_server at{{.method = "client_secret_post"}};
        fake_authorization_server other{{.method = "client_secret_post", .resource = at.resource()}};
        second = &other;
        visit(at, [](hub_house& h) -> task<void> {
          co_await h.until("r", state::needs_auth);
          pasting_person person;
          co_await logs_in(h, person);
          const auto first = kept_login(login_file, server->resource());
          expect(fatal(first.has_value() and not first->client.key.empty()));
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
          for (const auto& one : second->web().seen()) {
            for (const secret& hidden : {first->client.key, first->tokens.access, first->tokens.refresh})
              expect(not contains(one.head + one.body, hidden.reveal())) << one.head;
          }
          const auto now = kept_login(login_file, server->resource());
          expect(now.has_value() and now->key.issuer == second->issuer() and now->client.key != first->client.key);
        });
      };

  "a tool that needs another scope says so, and a login for it keeps what there was"_test = [] {
    fake_authorization_server at;
    visit_again(at, [](hub_house& h) -> task<void> {
      co_await h.until("r", state::ready);
      const call_outcome refused = co_await h.call("r__admin");
      expect(refused.failed_with(errc::auth, execution::no)) << refused.said();
      expect(contains(refused.said(), "mcp:admin") and contains(refused.said(), "hawser auth r")) << refused.said();
      expect(h.of.status("r")->state == state::ready) << "all else goes on";
      const call_outcome other = co_await h.call("r__echo");
      expect(other.said() == "ok" and server->counts().refreshes == 0_i) << other.said();
      pasting_person person;
      co_await logs_in(h, person);
      expect(person.asked("scope") == "mcp:basic mcp:admin") << person.asked("scope");
      const call_outcome got = co_await h.call("r__admin");
      expect(got.said() == "done") << got.said();
    });
  };

  "C15 a server that asks again for the scope that it has given gets no second login"_test = [] {
    fake_authorization_server at;
    visit_again(at, [](hub_house& h) -> task<void> {
      co_await h.until("r", state::ready);
      server->replace("/mcp", [](const auto& asked, const auto& otherwise) {
        if (!asked.asks("tools/call")) return otherwise();
        return fake_answer{.status = "403 Forbidden",
                           .body = "",
                           .fields = "WWW-Authenticate: Bearer error=\"insufficient_scope\", scope=\"mcp:admin\"\r\n"};
      });
      co_await is_never_content(h, 1);
    });
  };

  "C15 T-27 a server that wants one scope after the other gets three more logins an hour, not a fourth"_test = [] {
    fake_authorization_server at;
    visit_again(at, [](hub_house& h) -> task<void> {
      co_await h.until("r", state::ready);
      auto count = std::make_shared<std::atomic<int>>(0);
      server->replace("/mcp", [count](const auto& asked, const auto& otherwise) {
        if (!asked.asks("tools/call")) return otherwise();
        const std::string scope = "scope-" + std::to_string((*count)++);
        return fake_answer{
            .status = "403 Forbidden",
            .body = "",
            .fields = "WWW-Authenticate: Bearer error=\"insufficient_scope\", scope=\"" + scope + "\"\r\n"};
      });
      co_await is_never_content(h, 3);
    });
  };

  "logging out forgets the login, has it revoked, and the server wants one again"_test = [] {
    fake_authorization_server at;
    visit_again(at, [](hub_house& h) -> task<void> {
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
    visit_again(at, [](hub_house& h) -> task<void> {
      co_await h.until("r", state::ready);
      server->replace("/token", [](const auto&, const auto& otherwise) {
        std::this_thread::sleep_for(300ms);
        return otherwise();
      });
      server->expire();
      scope work{co_await this_context()};
      call_outcome got;
      work.spawn(call_into(h.of, got, "r__echo", "{}"));
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

}  // namespace

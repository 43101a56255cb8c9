// SPDX-License-Identifier: MIT
// A login that lasts: tokens that expire, answers that are lost, two who renew at once, and a server that is down.
#include <atomic>

#include "login_visits.hpp"

namespace login_renewal_test {

using namespace hawser;
using namespace hawser::testing;
using namespace hawser::testing::logins;
using namespace std::chrono_literals;
using state = server_state;

const suite<"login"> tests = [] {
  "E13 a hundred calls whose token expires lead to one renewal, and each is answered"_test = [] {
    fake_authorization_server at;
    visit_again(at, [](hub_fixture& h) -> task<void> {
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
    visit_again(at, [](hub_fixture& h) -> task<void> {
      co_await h.until("r", state::ready);
      const auto before = kept_login(login_file, server->resource());
      server->replace("/token", [](const auto&, const auto& otherwise) {
        fake_response lost = otherwise();
        if (lost.status.starts_with("200")) lost.how = fake_response::ending::reset;
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

  "E15 a repeated refresh within the grace period of the server succeeds"_test = [] {
    fake_authorization_server at{{.rotates = false}};
    visit_again(at, [](hub_fixture& h) -> task<void> {
      co_await h.until("r", state::ready);
      auto losses = std::make_shared<int>(0);
      server->replace("/token", [losses](const auto&, const auto& otherwise) {
        fake_response said = otherwise();
        if ((*losses)++ == 0) said.how = fake_response::ending::reset;
        return said;
      });
      server->expire();
      const call_outcome got = co_await h.call("r__echo");
      expect(got.said() == "ok") << got.said();
      expect(token_requests() == 2_i) << token_requests();
    });
  };

  "E16 a process whose refresh token was already used takes the tokens that another process stored"_test = [] {
    fake_authorization_server at;
    visit_again(at, [](hub_fixture& h) -> task<void> {
      co_await h.until("r", state::ready);
      server->replace("/token", [](const auto&, const auto&) {
        // Somebody who does not take the lead renews it just now.
        testing::keep_login(login_file, server->resource(), stored_login(*server));
        return fake_response{.status = "400 Bad Request", .body = R"({"error":"invalid_grant"})"};
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
    visit_again(at, [](hub_fixture& h) -> task<void> {
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
      expect(after->tokens.scope == "mcp:basic" and after->requested_scope == "mcp:basic");
    });
  };

  "E18 while the authorization server is down, calls fail fast, nothing is lost, and then they work"_test = [] {
    fake_authorization_server at;
    visit_again(at, [](hub_fixture& h) -> task<void> {
      co_await h.until("r", state::ready);
      const auto before = kept_login(login_file, server->resource());
      server->replace("/token", [](const auto&, const auto&) {
        return fake_response{.status = "503 Service Unavailable", .body = "later", .type = "text/plain"};
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
    visit_again(at, [](hub_fixture& h) -> task<void> {
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
      pasting_user person;
      co_await logs_in(h, person);
      const call_outcome works = co_await h.call("r__echo");
      expect(works.said() == "ok") << works.said();
    });
  };
};

}  // namespace login_renewal_test

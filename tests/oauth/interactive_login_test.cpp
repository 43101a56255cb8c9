// SPDX-License-Identifier: MIT
// What a person does with the login of a server, and where he is not led.
#include "../../oauth/server_login.hpp"
#include "../../runtime/async/scope.hpp"
#include "../../runtime/async/timeout.hpp"
#include "../support/server_login_fixture.hpp"

namespace interactive_login_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::fake_authorization_server;
using testing::pasting_user;
using fixture = testing::server_login_fixture;

// A name whose owner has it lead to this machine, alone or beside an address of the internet.
class names_of_one final : public resolver {
 public:
  explicit names_of_one(bool both) : both_(both) {}
  task<result<std::vector<ip_address>>> resolve(std::string) override {
    std::vector<ip_address> all{ip_address::parse("127.0.0.1").value()};
    if (both_) all.push_back(ip_address::parse("203.0.113.5").value());
    co_return all;
  }

 private:
  bool both_;
};

task<void> logs_in(server_login& of, login_options wish, login_ui& person, result<login_summary>& into) {
  into = co_await of.authenticate(std::move(wish), person);
}

// A token that may do less than what was asked for, as where a person unticks a scope.
fake_authorization_server::instead grants(const std::string& scope) {
  return [scope](const testing::received_request&, const fake_authorization_server::usual& usual) {
    testing::fake_response said = usual();
    boost::json::object body = boost::json::parse(said.body).as_object();
    body["scope"] = scope;
    said.body = boost::json::serialize(body);
    return said;
  };
}

auth_challenge wants_scope(const std::string& scope, std::uint64_t serial) {
  auth_challenge why{.status = 403, .serial = serial, .operation = "tools/call"};
  why.challenges.push_back(R"(Bearer error="insufficient_scope", scope=")" + scope + '"');
  return why;
}

const suite<"login by person"> tests = [] {
  "T-15 a name that leads to this machine opens it to nobody, whatever its other addresses"_test = [] {
    fake_authorization_server at;
    for (const bool mixed : {false, true}) {
      loop l;
      l.run([](loop& on, fake_authorization_server& server, bool both) -> task<void> {
        names_of_one names{both};
        memory_credential_store store;
        const login_context around{.event_loop = on, .store = store, .names = names, .opens_browser = false};
        const std::string url = "http://evil.test:" + std::to_string(server.http_server().port()) + "/mcp";
        server_login of{around, {.name = "r", .url = url, .connection = fixture::connection}};
        testing::pasting_user person;
        auto done = co_await with_timeout(2s, of.authenticate({}, person));  // the internet may not be there
        expect(done.has_error());
        if (!both) expect(done.error().what.find("inward") != std::string::npos) << done.error().what;
        co_await of.close();
      }(l, at, mixed));
    }
    expect(at.http_server().seen().empty());
  };

  "SEC-4 a resource above the server's path is accepted and shown, and its token goes to that server alone"_test = [] {
    fake_authorization_server at{{.whole_origin = true}};
    loop l;
    l.run([](loop& on, fake_authorization_server& server) -> task<void> {
      fixture h{on, server};
      const std::string neighbour_url = server.issuer() + "/neighbour/mcp";
      server_login neighbour{h.around, {.name = "n", .url = neighbour_url, .connection = fixture::connection}};
      pasting_user person;
      auto first = co_await h.of.authenticate({}, person);
      expect(fatal(first.has_value())) << (first ? "" : first.error().what);
      expect(first->resource == server.issuer()) << first->resource;
      expect(person.prompts.back().resource == server.issuer());
      expect(person.prompts.back().resource_above_server);
      auto own = co_await h.store.find_for_server(server.resource());
      expect(fatal(own.has_value() && own->has_value()));
      auto nothing = co_await neighbour.acquire();
      expect(nothing.has_value() && nothing->fields.empty()) << "a neighbour is not sent it";
      auto second = co_await neighbour.authenticate({}, person);
      expect(fatal(second.has_value())) << (second ? "" : second.error().what);
      auto theirs = co_await h.store.find_for_server(neighbour_url);
      auto after = co_await h.store.find_for_server(server.resource());
      expect(fatal(theirs.has_value() && theirs->has_value() && after.has_value() && after->has_value()));
      expect((*theirs)->key.client == (*own)->key.client) << "the same client, or this shows nothing";
      expect((*after)->tokens.access == (*own)->tokens.access) << "a login of the neighbour changes nothing";
      expect((*theirs)->tokens.access != (*own)->tokens.access);
      co_await neighbour.close();
      co_await h.of.close();
    }(l, at));
  };

  "SEC-4 nobody logs in to a server whose token would leave this machine over plain http"_test = [] {
    loop l;
    l.run([](loop& on) -> task<void> {
      names_of_one names{true};
      memory_credential_store store;
      const login_context around{.event_loop = on, .store = store, .names = names, .opens_browser = false};
      for (const char* url : {"http://mcp.example/mcp", "http://203.0.113.5/mcp", "http://10.0.0.1/mcp"}) {
        server_login of{around, {.name = "r", .url = url, .connection = fixture::connection}};
        pasting_user person;
        auto done = co_await with_timeout(2s, of.authenticate({}, person));
        expect(done.has_error() && done.error().code == errc::config) << url;
        expect(done.has_error() && done.error().what.find("plain http") != std::string::npos) << done.error().what;
        expect(person.shown.empty());
        co_await of.close();
      }
    }(l));
  };

  "a second login is refused while one is running"_test = [] {
    fake_authorization_server at;
    loop l;
    l.run([](loop& on, fake_authorization_server& server) -> task<void> {
      fixture h{on, server};
      pasting_user first;
      pasting_user second;
      result<login_summary> one{error{.code = errc::closed}};
      result<login_summary> other{error{.code = errc::closed}};
      scope both{co_await this_context()};
      both.spawn(logs_in(h.of, {}, first, one));
      both.spawn(logs_in(h.of, {}, second, other));
      co_await both.join();
      expect(one.has_value()) << (one ? "" : one.error().what);
      expect(other.has_error() && other.error().what.find("already") != std::string::npos);
      expect(second.shown.empty());
      co_await h.of.close();
    }(l, at));
    expect(at.counts().authorizations == 1_i);
  };

  "C15 a scope that was asked for and not granted may be asked for again, one that was granted not"_test = [] {
    fake_authorization_server at;
    at.replace("/token", grants("mcp:basic"));
    loop l;
    l.run([](loop& on, fake_authorization_server& server) -> task<void> {
      fixture h{on, server};
      pasting_user person;
      auto done = co_await h.of.authenticate({.scope = "mcp:basic mcp:admin"}, person);
      expect(done.has_value() && done->scope == "mcp:basic") << (done ? done->scope : done.error().what);
      auto grant = co_await h.of.acquire();
      auto refused = co_await h.of.on_challenge(wants_scope("mcp:admin", grant ? grant->serial : 0));
      expect(refused.has_error());
      server.replace("/token", grants("mcp:basic mcp:admin"));
      auto again = co_await h.of.authenticate({}, person);
      expect(again.has_value() && again->scope == "mcp:basic mcp:admin") << (again ? again->scope : again.error().what);
      grant = co_await h.of.acquire();
      refused = co_await h.of.on_challenge(wants_scope("mcp:admin", grant ? grant->serial : 0));
      auto once_more = co_await h.of.authenticate({}, person);
      expect(once_more.has_error());
      co_await h.of.close();
    }(l, at));
    expect(at.counts().authorizations == 2_i);
  };
};

}  // namespace interactive_login_test

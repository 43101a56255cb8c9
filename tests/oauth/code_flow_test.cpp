// SPDX-License-Identifier: MIT
// One login by a person, from the metadata to the tokens, at an authorization server that plays along or does not.
#include "../../oauth/code_flow.hpp"

#include <stdexcept>
#include <thread>

#include "../../runtime/io/dns.hpp"
#include "../support/contains.hpp"
#include "../support/every_step.hpp"
#include "../support/fake_browser.hpp"
#include "../support/server_login_fixture.hpp"

namespace code_flow_test {

using namespace hawser;
using testing::contains;
using testing::fake_authorization_server;
using testing::fake_response;
using testing::pasting_user;
using testing::received_request;

struct fixture {
  explicit fixture(loop& l) : home(l), asks(l, names, {}, network_zone::loopback) {}

  [[nodiscard]] code_flow_context tools() {
    return {.home = home, .store = store, .http = asks, .opens_browser = false};
  }
  [[nodiscard]] static code_flow_request order(const fake_authorization_server& at) {
    return {.server_url = at.resource(), .server = http_url::parse(at.resource()).value()};
  }

  loop& home;
  memory_credential_store store;
  ares_resolver names;
  oauth_http asks;
};

// A login, and what became of it.
task<result<login>> logs_in(fixture& h, code_flow_request order, login_ui& person) {
  auto done = co_await run_code_flow(h.tools(), std::move(order), person);
  co_await h.asks.close();
  co_return done;
}

result<login> login_by(login_ui& person, code_flow_request order) {
  loop l;
  fixture h{l};
  return l.run(logs_in(h, std::move(order), person));
}

result<login> login_at(fake_authorization_server& at, login_ui& person) { return login_by(person, fixture::order(at)); }

// The redirect says what `change` makes of it.
void change_redirect(fake_authorization_server& at, std::function<std::string(std::string)> change) {
  at.replace("/authorize",
             [change = std::move(change)](const received_request&, const fake_authorization_server::usual& usual) {
               fake_response said = usual();
               said.fields = change(said.fields);
               return said;
             });
}

std::string with_iss(std::string fields, const std::string& iss) {
  const std::size_t begin = fields.find("&iss=");
  return fields.substr(0, begin) + (iss.empty() ? "" : "&iss=" + testing::percent_encoded(iss)) + "\r\n";
}

// Metadata that promises no `iss`, with these fields in the place of its own.
void change_metadata(fake_authorization_server& at, boost::json::object fields) {
  at.replace("/.well-known/oauth-authorization-server",
             [fields = std::move(fields)](const received_request&, const fake_authorization_server::usual& usual) {
               fake_response said = usual();
               boost::json::object document = boost::json::parse(said.body).as_object();
               document["authorization_response_iss_parameter_supported"] = false;
               for (const auto& one : fields) document[one.key()] = one.value();
               said.body = boost::json::serialize(document);
               return said;
             });
}

void leave_out_iss(fake_authorization_server& at) {
  change_redirect(at, [](std::string fields) { return with_iss(std::move(fields), ""); });
}

// Every name leads to where nobody may be led.
class inward_names final : public resolver {
 public:
  task<result<std::vector<ip_address>>> resolve(std::string host) override {
    const auto literal = ip_address::parse(host);
    co_return std::vector{literal ? *literal : ip_address::v4({169, 254, 169, 254})};
  }
};

// Pastes the code alone.
class code_pasting_person final : public login_ui {
 public:
  void show(const login_prompt& prompt) override { page = prompt.url; }
  void show_message(const std::string& text) override { remarks += text; }
  [[nodiscard]] bool wants_browser() const override { return false; }
  task<result<std::string>> read_pasted_text() override {
    if (page.empty()) co_return error{.code = errc::closed, .what = "nothing to paste"};
    const std::string back = testing::location_of(testing::ask_loopback(http_url::parse(page).value()));
    page.clear();
    const std::size_t begin = back.find("?code=") + 6;
    co_return back.substr(begin, back.find('&') - begin);
  }
  std::string page{};
  std::string remarks{};
};

// Goes where it is shown, and throws whatever it is asked.
class throwing_person final : public login_ui {
 public:
  void show(const login_prompt& prompt) override {
    visit_ = std::jthread{[url = prompt.url] { testing::browse(url); }};
    throw std::runtime_error{"no window"};
  }
  void show_message(const std::string& /*text*/) override { throw std::runtime_error{"no line"}; }
  [[nodiscard]] bool wants_browser() const override { throw std::runtime_error{"no wish"}; }
  task<result<std::string>> read_pasted_text() override { throw std::runtime_error{"no paste"}; }

 private:
  std::jthread visit_;
};

const suite<"flow"> tests = [] {
  "SEC-4 without iss in the redirect, no code goes to a token endpoint on another origin than the issuer"_test = [] {
    fake_authorization_server at;
    fake_authorization_server attacker;
    change_metadata(at, {{"token_endpoint", attacker.issuer() + "/token"}});
    leave_out_iss(at);
    pasting_user person;
    const auto done = login_at(at, person);
    expect(!done.has_value());
    expect(done.has_error() && done.error().code == errc::auth && contains(done.error().what, "\"iss\"") &&
           contains(done.error().what, at.issuer()))
        << (done ? "" : done.error().what);
    expect(attacker.http_server().seen().empty()) << "nobody was shown the code";
  };

  "SEC-4 without iss in the redirect, a page on another origin than the issuer leads to no token"_test = [] {
    fake_authorization_server at;
    fake_authorization_server victim{{.resource = at.resource()}};
    victim.know("client-1");
    change_metadata(at, {{"authorization_endpoint", victim.issuer() + "/authorize"}});
    leave_out_iss(victim);
    pasting_user person;
    const auto done = login_at(at, person);
    expect(victim.counts().authorizations == 1_i);
    expect(done.has_error() && contains(done.error().what, "\"iss\"")) << (done ? "" : done.error().what);
    for (const auto& one : at.http_server().seen()) expect(!one.head.starts_with("POST /token ")) << one.head;
  };

  "SEC-4 endpoints on another origin will do where the redirect names the issuer"_test = [] {
    fake_authorization_server at;
    change_metadata(at, {{"token_endpoint", "http://localhost:" + std::to_string(at.http_server().port()) + "/token"}});
    pasting_user person;
    const auto done = login_at(at, person);
    expect(done.has_value()) << (done ? "" : done.error().what);
  };

  "SEC-4 endpoints on another origin will do for an issuer that the user configured"_test = [] {
    fake_authorization_server at;
    change_metadata(at, {{"token_endpoint", "http://localhost:" + std::to_string(at.http_server().port()) + "/token"}});
    leave_out_iss(at);
    code_flow_request order = fixture::order(at);
    order.settings.issuer = at.issuer();
    pasting_user person;
    const auto done = login_by(person, order);
    expect(done.has_value()) << (done ? "" : done.error().what);
  };

  "SEC-4 endpoints on the issuer's own origin need no iss"_test = [] {
    fake_authorization_server at;
    change_metadata(at, {});
    leave_out_iss(at);
    pasting_user person;
    const auto done = login_at(at, person);
    expect(done.has_value()) << (done ? "" : done.error().what);
  };

  "SEC-4 a code that is pasted alone does not stand in for a redirect that has to name its issuer"_test = [] {
    fake_authorization_server at;
    fake_authorization_server attacker;
    change_metadata(at, {{"token_endpoint", attacker.issuer() + "/token"}});
    code_flow_request order = fixture::order(at);
    order.timeout = std::chrono::milliseconds{200};
    code_pasting_person person;
    const auto done = login_by(person, order);
    expect(!done.has_value());
    expect(contains(person.remarks, "paste the whole address")) << person.remarks;
    expect(attacker.http_server().seen().empty());
  };

  "SEC-4 the person is shown the issuer beside the page to log in at"_test = [] {
    fake_authorization_server at;
    change_metadata(
        at, {{"authorization_endpoint", "http://localhost:" + std::to_string(at.http_server().port()) + "/authorize"}});
    pasting_user person;
    const auto done = login_at(at, person);
    expect(done.has_value()) << (done ? "" : done.error().what);
    expect(fatal(person.prompts.size() == 1_ul));
    expect(person.prompts.front().issuer == at.issuer());
    expect(person.prompts.front().url.starts_with("http://localhost:")) << person.prompts.front().url;
  };

  "EMB-1 a person whose functions throw is logged, and the login goes on"_test = [] {
    fake_authorization_server at;
    std::string lines;
    const logger log{[&](const log_record& record) { lines.append(record.text).append("\n"); }, log_level::error};
    loop l{loop::options{.log = log}};
    fixture h{l};
    throwing_person person;
    code_flow_context tools = h.tools();
    tools.opens_browser = true;
    const auto done =
        l.run([](fixture& in, code_flow_context with, code_flow_request order, login_ui& by) -> task<result<login>> {
          auto outcome = co_await run_code_flow(with, std::move(order), by);
          co_await in.asks.close();
          co_return outcome;
        }(h, tools, fixture::order(at), person));
    expect(done.has_value()) << (done ? "" : done.error().what);
    for (const char* line :
         {"show threw: no window", "wants_browser threw: no wish", "read_pasted_text threw: no paste"})
      expect(contains(lines, line)) << lines;
  };

  "a login is bound to issuer, resource and client, byte for byte"_test = [] {
    fake_authorization_server at;
    pasting_user person;
    const auto done = login_at(at, person);
    expect(fatal(done.has_value())) << (done ? "" : done.error().what);
    expect(done->key == login_key{.issuer = at.issuer(), .resource = at.resource(), .client = "client-1"});
    expect(!done->tokens.access.empty());
    expect(done->token_endpoint == at.issuer() + "/token");
    expect(person.asked("code_challenge_method") == "S256");
    expect(person.asked("state").size() >= 43_ul);
    expect(person.asked("resource") == at.resource());
  };

  "S117 what is registered is where somebody already listens"_test = [] {
    fake_authorization_server at;
    std::string registered;
    bool somebody_there = false;
    at.replace("/register", [&](const received_request& asked, const fake_authorization_server::usual& usual) {
      const auto redirects = boost::json::parse(asked.body).at("redirect_uris").as_array();
      registered = boost::json::value_to<std::string>(redirects.at(0));
      const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      sockaddr_in to{};
      to.sin_family = AF_INET;
      to.sin_port = htons(http_url::parse(registered).value().port);
      to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      somebody_there = ::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
      ::close(fd);
      return usual();
    });
    pasting_user person;
    expect(login_at(at, person).has_value());
    expect(registered.starts_with("http://127.0.0.1:")) << registered;
    expect(somebody_there);
    expect(person.asked("redirect_uri") == registered);
  };

  "E07 T-21 a redirect of another issuer, of none, or of one with a slash more, redeems nothing"_test = [] {
    const auto refused = [](const std::function<std::string(const std::string&)>& said) {
      fake_authorization_server at;
      change_redirect(at, [&](std::string fields) { return with_iss(std::move(fields), said(at.issuer())); });
      pasting_user person;
      const auto done = login_at(at, person);
      expect(!done.has_value());
      expect(at.counts().codes == 0_i);
      expect(at.counts().refusals == 0_i) << "the code was not shown to anybody";
      return done ? std::string{} : done.error().what;
    };
    expect(contains(refused([](const std::string&) { return "https://attacker.example"; }),
                    "another authorization server"));
    expect(contains(refused([](const std::string& own) { return own + '/'; }), "another authorization server"));
    expect(contains(refused([](const std::string&) { return ""; }), "without the name"));
  };

  "T-21 an error from the wrong issuer is not shown"_test = [] {
    fake_authorization_server at;
    change_redirect(at, [](std::string fields) {
      const std::size_t code = fields.find("?code=");
      const std::size_t state = fields.find("&state=");
      fields = fields.substr(0, code) + "?error=access_denied&error_description=call+0900+EVIL" + fields.substr(state);
      return with_iss(std::move(fields), "https://attacker.example");
    });
    pasting_user person;
    const auto done = login_at(at, person);
    expect(!done.has_value());
    expect(!contains(done.error().what, "EVIL")) << done.error().what;
    expect(!contains(done.error().what, "access_denied")) << done.error().what;
  };

  "T-26 a configured client is shown to the issuer it was used at, and to no other"_test = [] {
    fake_authorization_server at;
    fake_authorization_server other;
    at.know("me");
    other.know("me");
    code_flow_request order = fixture::order(at);
    order.settings.client_id = "me";
    loop l;
    fixture h{l};
    pasting_user person;
    const auto first = l.run([](fixture& in, code_flow_request how, login_ui& who) -> task<result<login>> {
      auto done = co_await run_code_flow(in.tools(), how, who);
      if (done) {
        auto saved = co_await in.store.save(how.server_url, *done);
        expect(saved.has_value());
      }
      co_return done;
    }(h, order, person));
    expect(first.has_value()) << (first ? "" : first.error().what);
    at.move_to(other);
    const auto second = l.run(logs_in(h, order, person));
    expect(!second.has_value());
    expect(second.has_error() && contains(second.error().what, "another authorization server than before"));
    expect(other.counts().authorizations == 0_i);
  };

  "an issuer of the settings is the only one that will do"_test = [] {
    fake_authorization_server at;
    code_flow_request order = fixture::order(at);
    order.settings.issuer = "https://login.example";
    pasting_user person;
    const auto done = login_by(person, order);
    expect(!done.has_value());
    expect(done.has_error() && contains(done.error().what, "https://login.example"));
    expect(person.shown.empty());
  };

  "scopes: the challenge's, else the person's, else all; never fewer than before"_test = [] {
    code_flow_request order;
    auth_metadata place{.scopes = "x y"};
    expect(select_scope(order, place) == "x y");
    place.scopes.reset();
    expect(select_scope(order, place).empty());
    place.authorization_server.scopes = {"x", "offline_access"};
    expect(select_scope(order, place).empty()) << "nothing is asked for where nothing is known";
    place.scopes = "x y";
    expect(select_scope(order, place) == "x y offline_access");
    order.challenged_scope = "c";
    expect(select_scope(order, place) == "c offline_access");
    order.settings.scope = "own";
    order.user_scope = "wish";
    expect(select_scope(order, place) == "c own wish offline_access");
    order.previous_scope = "e c";
    expect(select_scope(order, place) == "e c own wish offline_access");
    order.challenged_scope.reset();
    place.authorization_server.scopes.clear();
    order.previous_scope.clear();
    expect(select_scope(order, place) == "own wish");
  };

  "a registration that led to nothing is not used again"_test = [] {
    fake_authorization_server at;
    change_redirect(at, [](std::string fields) { return with_iss(std::move(fields), "https://attacker.example"); });
    loop l;
    fixture h{l};
    pasting_user person;
    const auto done = l.run([](fixture& in, code_flow_request how, login_ui& who) -> task<result<bool>> {
      auto refused = co_await run_code_flow(in.tools(), how, who);
      expect(!refused.has_value());
      auto kept = co_await in.store.find_client(how.server.origin());
      co_await in.asks.close();
      if (!kept) co_return kept.error();
      co_return kept->has_value();
    }(h, fixture::order(at), person));
    expect(done.has_value());
    expect(done && !*done);
  };

  "SEC-4 T-15 a person is not shown an authorization endpoint whose name leads inward, and nobody is registered"_test =
      [] {
        fake_authorization_server at;
        change_metadata(at, {{"authorization_endpoint", "https://sso.example/authorize?do=reset"}});
        loop l;
        memory_credential_store store;
        inward_names names;
        oauth_http asks{l, names, {}, network_zone::loopback};
        pasting_user person;
        const auto done =
            l.run([](code_flow_context with, code_flow_request order, login_ui& who) -> task<result<login>> {
              auto outcome = co_await run_code_flow(with, std::move(order), who);
              co_await with.http.close();
              co_return outcome;
            }({.home = l, .store = store, .http = asks, .opens_browser = false}, fixture::order(at), person));
        expect(done.has_error());
        if (done.has_error())
          expect(contains(done.error().what, "the authorization endpoint: https://sso.example/authorize is refused"))
              << done.error().what;
        expect(person.shown.empty()) << "nothing was shown";
        expect(at.counts().registrations == 0_i);
      };

  "SEC-3 what a redirect says again of a secret is taken out before it is cut"_test = [] {
    fake_authorization_server at;
    change_redirect(at, [](std::string fields) {
      const std::size_t code = fields.find("?code=");
      const std::size_t state = fields.find("&state=");
      const std::string said = fields.substr(state + 7, fields.find('&', state + 1) - state - 7);
      return fields.substr(0, code) + "?error=access_denied&error_description=" + std::string(180, 'x') + said +
             std::string(5'000, 'y') + fields.substr(state);
    });
    pasting_user person;
    const auto done = login_at(at, person);
    expect(fatal(done.has_error()));
    expect(contains(done.error().what, "xxx[redacted]")) << done.error().what;
    expect(done.error().what.size() < 400_ul) << "and cut";
    expect(!contains(done.error().what, person.asked("state").substr(0, 6))) << done.error().what;
  };
};

}  // namespace code_flow_test

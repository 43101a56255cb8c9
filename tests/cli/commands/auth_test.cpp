// SPDX-License-Identifier: MIT
// Logging in and out by the real program, with an authorization server of the test's own and a test that plays the
// person.
#include <sys/stat.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

#include "../../support/contains.hpp"
#include "../../support/fake_authorization_server.hpp"
#include "../../support/fake_browser.hpp"
#include "../hawser_program.hpp"
#include "../pseudo_terminal.hpp"

namespace auth_test {

using namespace hawser::testing;
using hawser::http_url;
namespace json = boost::json;

std::string told(const ended_program& of) {
  return "code " + std::to_string(of.code) + "\nout: " + of.out + "\nerr: " + of.err;
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream{path}.rdbuf();
  return text.str();
}

// A configuration with one server on the network, "notes", which wants a login.
struct login_shop {
  explicit login_shop(fake_authorization_options options = {}) : server(std::move(options)) {
    const json::object notes{{"url", server.resource()}};
    const json::object local{{"command", "/nonexistent/program"}};
    const json::object all{{"mcpServers", json::object{{"notes", notes}, {"local", local}}}};
    work.write("mcp.json", json::serialize(all));
  }
  /// Writes down what it is given, in one step.
  void add_browser(const std::string& end = "exit 0") {
    work.write("browser", "#!/bin/sh\nprintf '%s' \"$1\" > \"$0.new\"; mv \"$0.new\" \"$0.page\"\n" + end + '\n');
    chmod((work.folder / "browser").c_str(), 0700);
    work.environment.push_back("BROWSER=" + (work.folder / "browser"));
  }
  /// What the browser was given, as soon as it was.
  [[nodiscard]] std::string page() const {
    for (int i = 0; i < 4'000; ++i) {
      if (const std::string url = text_of(work.folder / "browser.page"); !url.empty()) return url;
      std::this_thread::sleep_for(std::chrono::milliseconds{5});  // another process writes
    }
    return {};
  }
  /// Where to log in, as the program prints it.
  [[nodiscard]] std::string address_in(const std::string& text) const {
    const std::size_t begin = text.find(server.issuer() + "/authorize?");
    return begin == std::string::npos ? "" : text.substr(begin, text.find_first_of("\r\n", begin) - begin);
  }
  /// Logs in by the browser.
  ended_program log_in(std::vector<std::string> words = {"auth", "notes"}) {
    if (work.environment.empty()) add_browser();
    std::remove((work.folder / "browser.page").c_str());
    const auto running = work.start(std::move(words));
    shown = browse(page());
    return running->wait();
  }
  [[nodiscard]] std::string store() const { return work.folder / ".local/state/hawser/auth.json"; }

  fake_authorization_server server;
  cli_fixture work{{}};
  std::string shown;
};

// Nothing that is secret is printed.
void expect_discreet(const ended_program& of) {
  for (const char* secret : {"access-", "refresh-", "code-", "code_verifier"}) {
    expect(!contains(of.out, secret)) << secret << of.out;
    expect(!contains(of.err, secret)) << secret << of.err;
  }
}

std::string parameter(const std::string& url, const std::string& name) {
  return parse_form(url.substr(url.find('?') + 1))[name];
}

const suite<"auth"> tests = [] {
  "after a login in the browser, calls need no user"_test = [] {
    login_shop shop;
    const auto before = shop.work.run({"call", "notes__echo", "--server", "notes"});
    expect(before.code != 0_i) << told(before);
    expect(contains(before.err, "hawser auth notes")) << "says what to do:" << before.err;
    const auto r = shop.log_in();
    expect(r.code == 0_i) << told(r);
    expect(contains(r.out, "logged in to notes by " + shop.server.issuer())) << r.out;
    expect(contains(r.out, "scope: mcp:basic\n")) << r.out;
    expect(contains(r.out, "lasts: renewed by itself\n")) << r.out;
    expect(contains(r.err, shop.server.issuer() + "/authorize?")) << "the address is always printed:" << r.err;
    expect(contains(shop.shown, "The answer has arrived")) << shop.shown;
    expect_discreet(r);
    struct stat kept{};
    expect(stat(shop.store().c_str(), &kept) == 0);
    expect((kept.st_mode & 0777U) == 0600U);
    const auto call = shop.work.run({"call", "--server", "notes", "echo"});
    expect(call.code == 0_i) << told(call);
    expect(call.out == std::string{"ok\n"}) << told(call);
    expect(shop.server.counts().authorizations == 1_i);
    const auto again = shop.work.run({"login", "notes"});
    expect(again.code == 0_i) << told(again);
    expect(shop.server.counts().authorizations == 1_i) << "what works is not done again";
    const auto renewed = shop.log_in({"auth", "notes", "--again", "--scope", "a:b", "--scope", "c d", "--json"});
    expect(renewed.code == 0_i) << told(renewed);
    expect(shop.server.counts().authorizations == 2_i);
    boost::system::error_code bad;
    const json::value said = json::parse(renewed.out, bad);
    expect(fatal(!bad)) << told(renewed);
    expect(said.at("name") == "notes");
    expect(said.at("url") == json::value(shop.server.resource()));
    expect(said.at("issuer") == json::value(shop.server.issuer()));
    expect(said.at("lasting") == true);
    const std::string scope{said.at("scope").as_string()};
    for (const char* one : {"a:b", "c", "d", "mcp:basic"})
      expect(contains(' ' + scope + ' ', ' ' + std::string{one} + ' '));
    expect_discreet(renewed);
  };

  "SEC-3 the printed address has no secret of the server's URL; the browser gets it whole"_test = [] {
    const std::string key = "key-" + hawser::base64url(hawser::random_bytes(9));
    login_shop shop{{.path = "/mcp-" + key}};
    const json::object notes{{"url", shop.server.issuer() + "/mcp-${LOGIN_KEY}"}};
    shop.work.write("mcp.json", json::serialize(json::object{{"mcpServers", json::object{{"notes", notes}}}}));
    shop.add_browser();
    shop.work.environment.push_back("LOGIN_KEY=" + key);
    const auto r = shop.log_in();
    expect(r.code == 0_i) << told(r);
    expect(!contains(r.out + r.err, key)) << told(r);
    const std::string address = shop.address_in(r.err);
    expect(contains(address, "&resource=") && contains(address, "[redacted]")) << r.err;
    expect(parameter(address, "state") == parameter(shop.page(), "state") && contains(shop.page(), key)) << address;
  };

  "--status shows the stored logins without a prompt"_test = [] {
    login_shop shop;
    const auto none = shop.work.run({"auth", "--status"});
    expect(none.code == 0_i) << told(none);
    expect(none.out.empty());
    expect(contains(none.err, "no login is kept")) << none.err;
    expect(shop.work.run({"auth", "--status", "--json"}).out == std::string{"{\"logins\":[]}\n"});
    expect(shop.log_in().code == 0_i);
    const auto one = shop.work.run({"auth", "--status"});
    expect(one.code == 0_i) << told(one);
    expect(
        one.out.starts_with("SERVER  LASTS              SCOPE      ISSUER\nnotes   renewed by itself  mcp:basic  http"))
        << one.out;
    expect_discreet(one);
    boost::system::error_code bad;
    const auto as_json = shop.work.run({"auth", "--status", "--json"});
    const json::value said = json::parse(as_json.out, bad);
    expect(fatal(!bad)) << told(as_json);
    expect(said.at("logins").as_array().size() == 1_ul);
    expect(said.at("logins").at(0).at("name") == "notes");
    expect(said.at("logins").at(0).at("expires_at").as_int64() > 1'700'000'000);
    expect_discreet(as_json);
    shop.work.write("mcp.json", R"({"mcpServers":{}})");
    const auto elsewhere = shop.work.run({"auth", "--status"});
    expect(contains(elsewhere.out, shop.server.resource() + "  renewed by itself"))
        << "a server of another configuration" << told(elsewhere);
  };

  "a login without a refresh token says until when it lasts"_test = [] {
    login_shop shop{{.gives_refresh = false, .expires_in = "7200"}};
    const auto r = shop.log_in();
    expect(r.code == 0_i) << told(r);
    expect(contains(r.out, "lasts: until 20")) << r.out;
    expect(contains(r.out, " UTC\n")) << r.out;
  };

  "logout forgets the tokens and has them revoked"_test = [] {
    login_shop shop;
    expect(shop.log_in().code == 0_i);
    const auto out = shop.work.run({"logout", "notes"});
    expect(out.code == 0_i) << told(out);
    expect(out.out == std::string{"logged out of notes; its tokens are revoked\n"}) << told(out);
    expect(shop.server.counts().revocations >= 1_i);
    expect_discreet(out);
    const auto call = shop.work.run({"call", "--server", "notes", "echo"});
    expect(call.code != 0_i) << told(call);
    expect(!contains(text_of(shop.store()), "refresh-")) << "nothing of it is left";
    const auto twice = shop.work.run({"logout", "notes", "--json"});
    expect(twice.code == 0_i) << told(twice);
    expect(twice.out == std::string{"{\"name\":\"notes\",\"removed\":0,\"revoked\":0,\"failures\":[]}\n"}) << twice.out;
  };

  "logout forgets the tokens also where they cannot be revoked, and says so"_test = [] {
    login_shop shop;
    expect(shop.log_in().code == 0_i);
    shop.server.replace("/revoke", [](const received_request&, const fake_authorization_server::usual&) {
      return fake_response{.status = "500 Internal Server Error", .body = "{}"};
    });
    const auto out = shop.work.run({"logout", "notes"});
    expect(out.code == 4_i) << told(out);
    expect(out.out.starts_with("logged out of notes")) << told(out);
    expect(contains(out.err, "not revoked: ")) << told(out);
    expect(!contains(text_of(shop.store()), "refresh-"));
  };

  "--no-browser takes what was pasted, and asks again for what it is not"_test = [] {
    login_shop shop;
    shop.add_browser();
    const pseudo_terminal pty{200};
    const auto p = shop.work.start({"auth", "notes", "--no-browser"}, {.terminal = pty.user});
    const std::string question = "or the code it shows: ";
    const std::string address = shop.address_in(pty.text(question));
    expect(fatal(!address.empty()));
    const auto type = [&](const std::string& text) {
      expect(write(pty.main, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    };
    const auto at = http_url::parse(address);
    expect(fatal(at.has_value()));
    const std::string back = location_of(ask_loopback(*at));
    expect(fatal(!back.empty()));
    type("http://127.0.0.1:1/elsewhere?code=x&state=y\n");
    const std::string complaint = pty.text(question);
    expect(contains(complaint, "is not the address that the browser was sent back to")) << complaint;
    type(back.substr(0, back.find("&state=")) + "&state=wrong\n");
    expect(contains(pty.text(question), "another state"));
    type(back + '\n');
    const auto r = p->wait();
    const std::string said = pty.text("itself\r\n");
    expect(r.code == 0_i) << said;
    expect(contains(said, "logged in to notes by ")) << said;
    expect(text_of(shop.work.folder / "browser.page").empty()) << "no browser was opened";
  };

  "--no-browser works without a terminal, too, by the redirect"_test = [] {
    login_shop shop;
    const auto p = shop.work.start({"auth", "notes", "--no-browser"});
    expect(p->says("/authorize?")) << p->err();
    expect(p->says("\n"));
    const std::string address = shop.address_in(p->err());
    expect(contains(browse(address), "The answer has arrived"));
    const auto r = p->wait();
    expect(r.code == 0_i) << told(r);
    expect(r.out.starts_with("logged in to notes")) << told(r);
  };

  "E22 without any browser the address is printed and waited for"_test = [] {
    login_shop shop;
    shop.work.environment.push_back("BROWSER=/nonexistent/browser");
    const auto p = shop.work.start({"auth", "notes"});
    expect(p->says("hawser: no browser could be opened: spawn \"/nonexistent/browser\"")) << p->err();
    browse(shop.address_in(p->err()));
    expect(p->wait().code == 0_i);
  };

  "E23 Ctrl-C ends a login and leaves nothing of it"_test = [] {
    login_shop shop;
    shop.add_browser();
    const auto p = shop.work.start({"auth", "notes"});
    const std::string address = shop.page();
    const auto back = http_url::parse(parameter(address, "redirect_uri"));
    expect(fatal(back.has_value()));
    expect(contains(ask_loopback(*back), " 400 ")) << "it listens";
    p->signal(SIGINT);
    const auto r = p->wait();
    expect(r.code == 130_i) << told(r);
    expect(ask_loopback(*back).empty()) << "nobody listens any more";
    expect(shop.work.run({"auth", "--status", "--json"}).out == std::string{"{\"logins\":[]}\n"});
    expect(shop.server.counts().codes == 0_i);
  };

  "E06 a refused consent is reported with the server's message, escaped"_test = [] {
    login_shop shop;
    shop.add_browser();
    const auto p = shop.work.start({"auth", "notes"});
    const std::string address = shop.page();
    const auto back =
        http_url::parse(parameter(address, "redirect_uri") +
                        "?error=access_denied&state=" + percent_encoded(parameter(address, "state")) +
                        "&iss=" + percent_encoded(shop.server.issuer()) + "&error_description=%1B%5B31mno%0Away");
    expect(fatal(back.has_value()));
    expect(contains(ask_loopback(*back), "Not logged in"));
    const auto r = p->wait();
    expect(r.code == 4_i) << told(r);
    expect(contains(r.err, "access_denied ([31mno way)")) << r.err;
    expect(!contains(r.err, "\x1B"));
  };

  "CMD-6 a login that cannot be kept is refused before anybody is asked, unless it is for the session only"_test = [] {
    login_shop shop;
    shop.add_browser();
    shop.work.environment.push_back("XDG_STATE_HOME=/proc/nowhere");  // not even root can write there
    const auto refused = shop.work.run({"auth", "notes"});
    expect(refused.code == 3_i && refused.out.empty()) << told(refused);
    expect(contains(refused.err, "the login cannot be kept") && contains(refused.err, "--session-only"))
        << told(refused);
    expect(contains(refused.err, "/proc/nowhere")) << "says where" << told(refused);
    expect(shop.server.counts().authorizations == 0_i && text_of(shop.work.folder / "browser.page").empty());
    const auto session = shop.log_in({"auth", "notes", "--session-only"});
    expect(session.code == 0_i && contains(session.out, "logged in to notes")) << told(session);
    expect(contains(session.out, "lasts: until this command ends\n")) << told(session);
    expect(contains(session.err, "warning: logins: ")) << told(session);
    expect(!contains(session.out, "renewed by itself")) << told(session);
  };

  "CMD-6 a store that is damaged is set aside with a warning, once"_test = [] {
    login_shop shop;
    expect(shop.log_in().code == 0_i);
    {
      std::ofstream file{shop.store(), std::ios::app};
      file << "rubbish\x1b[31m";
    }
    const auto r = shop.work.run({"tools", "notes"});
    const std::string sentence = "this file is damaged";
    expect(contains(r.err, "hawser: warning: logins: ") && contains(r.err, sentence)) << told(r);
    expect(r.err.find(sentence) == r.err.rfind(sentence)) << "once" << told(r);
    expect(!contains(r.err, "\x1b")) << told(r);
    expect(!contains(shop.work.run({"tools", "notes"}).err, sentence)) << "it is whole again";
  };

  "what cannot be logged in to is said, and bad words are a matter of usage"_test = [] {
    const login_shop shop;
    const auto nobody = shop.work.run({"auth", "nobody"});
    expect(nobody.code == 1_i) << told(nobody);
    expect(shop.work.run({"logout", "nobody"}).code == 1_i);
    const auto local = shop.work.run({"auth", "local"});
    expect(local.code != 0_i) << told(local);
    for (const std::vector<std::string>& words : {std::vector<std::string>{"auth"},
                                                  {"auth", "notes", "--status"},
                                                  {"auth", "--status", "--again"},
                                                  {"logout"}}) {
      const auto r = shop.work.run(words);
      expect(r.code == 2_i) << words.front() << told(r);
    }
    expect(shop.server.counts().registrations == 0_i);
  };
};

}  // namespace auth_test

// SPDX-License-Identifier: MIT
// A real authorization server with the servers it protects, and a hub whose user has a scripted browser. Uses real
// time.
#pragma once

#include <boost/json.hpp>
#include <cstdlib>

#include "../../host/hub.hpp"
#include "../../runtime/async/timeout.hpp"
#include "fake_browser.hpp"
#include "http_server_process.hpp"
#include "interop_servers.hpp"
#include "temporary_folder.hpp"

namespace hawser::testing {

/// Leaves everything to the browser.
class browser_user final : public login_ui {
 public:
  void show(const login_prompt& prompt) override { shown.push_back(prompt.url); }
  void show_message(const std::string& text) override { remarks += text + '\n'; }
  task<result<std::string>> read_pasted_text() override {
    co_return error{.code = errc::closed, .what = "the browser comes back by itself"};
  }

  std::vector<std::string> shown{};
  std::string remarks{};
};

/// Sets $BROWSER while it lives: browser.mjs, whose user behaves as `words` say.
class scripted_browser {
 public:
  scripted_browser(const temporary_folder& folder, const std::string& words = {}) : log_(folder / "browser.log") {
    const std::string script = interop_node() + ' ' + source_root() + "/tests/interop/servers/browser.mjs";
    const std::string line = script + " --jar " + (folder / "jar") + " --log " + log_ + ' ' + words + " %s";
    setenv("BROWSER", line.c_str(), 1);
  }
  scripted_browser(const scripted_browser&) = delete;
  scripted_browser& operator=(const scripted_browser&) = delete;
  ~scripted_browser() { unsetenv("BROWSER"); }

  [[nodiscard]] std::string pages() const {
    std::ostringstream text;
    text << std::ifstream{log_}.rdbuf();
    return text.str();
  }

 private:
  std::string log_;
};

struct login_server {
  const char* script = interop::oidc;
  std::vector<std::string> more{};
};

class login_server_fixture {
 public:
  login_server_fixture(loop& l, http_server_process& server, const temporary_folder& where,
                       std::vector<server_settings> servers)
      : folder(where), guest(server), browser(where), of(l, {.servers = std::move(servers)}, hub_settings()) {}

  const temporary_folder& folder;
  http_server_process& guest;
  scripted_browser browser;
  browser_user person{};
  event changed{};
  std::vector<std::string> wire{};
  hub of;

  [[nodiscard]] std::string login_file() const { return folder / "auth.json"; }

  task<server_status> until(std::string name, server_state state) {
    for (int i = 0; i < 60; ++i) {
      const auto now = of.status(name);
      if (now && now->state == state) co_return *now;
      changed.reset();
      auto more = co_await with_timeout(std::chrono::seconds{1}, wait(changed));
      ignore(more, "looked at again");
    }
    const auto now = of.status(name);
    expect(false) << name << "is not" << to_string(state) << "but" << (now ? to_string(now->state) : "absent")
                  << (now ? now->reason : "") << guest.printed() << browser.pages();
    co_return now.value_or(server_status{});
  }
  /// The text that a model would see, or the message of the error.
  task<std::string> call(std::string tool, std::string arguments = "{}") {
    auto answer = co_await of.call(std::move(tool), std::move(arguments));
    co_return answer ? answer->text() : "error: " + answer.error().what;
  }
  task<std::optional<login_summary>> log_in(std::string server, login_options wish = {}) {
    auto done = co_await of.authenticate(std::move(server), std::move(wish), person);
    expect(done.has_value()) << (done ? "" : done.error().what) << person.remarks << guest.printed() << browser.pages();
    co_return done ? std::optional{*std::move(done)} : std::nullopt;
  }
  /// A counter of oidc_server.mjs.
  [[nodiscard]] std::int64_t count(std::string_view name) const {
    const boost::json::value* found = counts().if_contains(name);
    return found != nullptr && found->is_int64() ? found->as_int64() : -1;
  }
  [[nodiscard]] boost::json::object counts() const { return control("/control/counts", {}); }
  boost::json::object replay() { return control("/control/replay", "now"); }

 private:
  static task<result<void>> wait(event& e) { co_return co_await e.wait(); }
  [[nodiscard]] boost::json::object control(const std::string& path, std::string_view body) const {
    const std::string answer = ask_loopback(http_url::parse(guest.url(path)).value(), body);
    boost::system::error_code bad;
    const std::size_t begin = std::min(answer.size(), answer.find("\r\n\r\n"));
    boost::json::value read = boost::json::parse(std::string_view{answer}.substr(begin), bad);
    expect(!bad && read.is_object()) << answer;
    return read.is_object() ? read.as_object() : boost::json::object{};
  }
  hub_options hub_settings() {
    hub_options chosen{.login_file = login_file()};
    chosen.on_change = [this](const host_change&) { changed.set(); };
    chosen.trace = [this](std::string_view, std::string_view line) { wire.emplace_back(line); };
    return chosen;
  }
};

using login_server_body = task<void> (*)(login_server_fixture&);
using login_server_settings = std::function<std::vector<server_settings>(const http_server_process&)>;

inline task<void> run_in_login_server_fixture(login_server_fixture& h, login_server_body inside) {
  auto opened = co_await h.of.open();
  expect(opened.has_value());
  co_await inside(h);
  auto closed = co_await h.of.close();
  expect(closed.has_value()) << (closed ? "" : closed.error().what);
}

/// Starts the server, and a hub with the servers it protects.
inline task<void> run_with_login_server(loop& l, command server, http_server_process::port_source port,
                                        login_server_settings servers, login_server_body inside) {
  const temporary_folder folder;
  keeper starter{l};
  http_server_process guest{std::move(server), folder / "guest", port};
  const bool listens = co_await guest.start(starter);
  if (listens) {
    login_server_fixture fixture{l, guest, folder, servers(guest)};
    co_await run_in_login_server_fixture(fixture, inside);
  }
  co_await guest.stop();
  auto closed = co_await starter.close();
  expect(closed.has_value()) << (closed ? "" : closed.error().what);
}

/// Both servers of oidc_server.mjs: "old" is legacy, "new" is modern.
inline std::vector<server_settings> oidc_servers(const http_server_process& guest) {
  server_settings old{.name = "old", .transport = http_settings{.url = guest.url("/legacy/mcp")}};
  server_settings modern{.name = "new", .transport = http_settings{.url = guest.url("/modern/mcp")}};
  return {std::move(old), std::move(modern)};
}

inline void with_oidc(std::vector<std::string> words, login_server_body inside,
                      login_server_settings servers = oidc_servers) {
  auto server = interop_server_on_node_22(interop::oidc, std::move(words));
  if (!server) return;
  loop l;
  l.run(run_with_login_server(l, *std::move(server), http_server_process::port_source::itself, std::move(servers),
                              inside));
}

}  // namespace hawser::testing

// SPDX-License-Identifier: MIT
#include "../../oauth/callback_server.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>

#include <chrono>

#include "../../oauth/form.hpp"
#include "../../runtime/timeout.hpp"
#include "../support/every_step.hpp"
#include "../support/http_house.hpp"
#include "../support/manual_clock.hpp"
#include "../support/run.hpp"

namespace {

using namespace hawser;
using namespace hawser::testing;
using namespace std::chrono_literals;

const std::string right_state = "right-state";

// A login that waits, and what a browser, or somebody who pretends to be one, knows of it.
struct login_house {
  callback_server& server;
  endpoint at;
  std::string host;
  std::string path;
  std::optional<result<callback_answer>> outcome;
  event over;

  [[nodiscard]] std::string get(const std::string& query) const {
    return "GET " + path + query + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
  }
  [[nodiscard]] std::string success(const std::string& code = "the-code") const {
    return get("?code=" + code + "&state=" + right_state);
  }
};

using house_visit = std::function<task<void>(login_house&)>;

task<void> wait_in(login_house& house, duration bound) {
  const counted alive;
  house.outcome = co_await house.server.wait(secret{right_state}, bound);
  house.over.set();
}

task<void> conduct(loop& l, callback_place where, duration bound, house_visit visit) {
  const counted alive;
  auto server = callback_server::listen(l, std::move(where));
  expect(server.has_value()) << (server ? "" : server.error().what);
  if (!server) co_return;
  const std::string uri = server->redirect_uri();
  const std::size_t slash = uri.find('/', 7);
  login_house house{.server = *server,
                    .at = endpoint{ip_address::loopback_v4(), 0},
                    .host = uri.substr(7, slash - 7),
                    .path = uri.substr(slash),
                    .outcome = {},
                    .over = {}};
  house.at.port = static_cast<std::uint16_t>(std::stoi(house.host.substr(house.host.find(':') + 1)));
  scope waiting{co_await this_context()};
  waiting.spawn(wait_in(house, bound));
  co_await visit(house);
  waiting.request_stop();
  co_await waiting.join();
}

void with_login(house_visit visit, callback_place where = {}, duration bound = 5min) {
  loop l;
  l.run(conduct(l, std::move(where), bound, std::move(visit)));
}

task<int> status_of(endpoint at, std::string bytes) {
  auto answer = co_await ask(at, std::move(bytes));
  co_return answer ? answer->status : 0;
}

task<void> finish(login_house& house) {
  auto over = co_await house.over.wait();
  ignore(over, "a test that is stopped has failed elsewhere");
}

// The right redirect, and that it was taken.
task<void> succeed(login_house& house) {
  expect(!house.outcome.has_value()) << "it still waits";
  expect(co_await status_of(house.at, house.success()) == 200);
  co_await finish(house);
  expect(fatal(house.outcome && house.outcome->has_value()));
  expect(house.outcome->value().code == secret{"the-code"});
}

task<void> is_free(endpoint at) {
  auto refused = co_await ask(at, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  expect(!refused.has_value()) << "nobody listens any more";
  const context where = co_await this_context();
  expect(tcp_listener::listen(*where.loop, tcp_listener::loopback::v4, at.port).has_value()) << "the port is free";
}

task<void> log_in_plainly(login_house& house) {
  auto answer = co_await ask(house.at, house.get("?state=right-state&iss=https%3A%2F%2Fa.example&code=the-code"));
  expect(fatal(answer.has_value()));
  expect(answer->status == 200_i);
  co_await finish(house);
  expect(fatal(house.outcome && house.outcome->has_value()));
  expect(house.outcome->value().code == secret{"the-code"});
  expect(house.outcome->value().iss == std::string{"https://a.example"});
  expect(house.outcome->value().error.empty());
  co_await is_free(house.at);
  auto again = co_await house.server.wait(secret{right_state});
  expect(!again && again.error().code == errc::closed) << "a login is waited for once";
}

task<void> forge_before(login_house& house) {
  for (const char* query :
       {"", "?", "?code=evil", "?code=evil&state=", "?code=evil&state=wrong-state",
        "?code=evil&state=right-state&state=right-state", "?code=evil&code=x&state=right-state", "?error=access_denied",
        "?error=access_denied&state=wrong", "?state=right-state%00&code=x", "?code=%zz&state=right-state"})
    expect(co_await status_of(house.at, house.get(query)) == 400) << query;
  co_await succeed(house);
}

task<void> forge_after(login_house& house) {
  // Two on two connections before the loop has a turn to close anything.
  auto first = co_await connect_to({house.at});
  auto second = co_await connect_to({house.at});
  expect(fatal(first.has_value() && second.has_value()));
  first->write(house.success());
  second->write(house.success("another"));
  auto one = co_await http_answer::read(*first);
  auto two = co_await http_answer::read(*second);
  co_await finish(house);
  const int a = one ? one->status : 0;
  const int b = two ? two->status : 0;
  expect((a == 200) != (b == 200)) << a << b;
  expect(a + b == 200 || a + b == 600) << "the other one heard 400, or found the door closed";
  expect(fatal(house.outcome && house.outcome->has_value()));
  expect(house.outcome->value().code == secret{a == 200 ? "the-code" : "another"});
  co_await first->close();
  co_await second->close();
  co_await is_free(house.at);
}

task<void> knock_wrongly(login_house& house) {
  const std::string fields = " HTTP/1.1\r\nHost: " + house.host + "\r\n\r\n";
  const std::string query = "?code=the-code&state=right-state";
  expect(co_await status_of(house.at, "GET /favicon.ico" + fields) == 404);
  expect(co_await status_of(house.at, "GET /callback/guess" + query + fields) == 404);
  expect(co_await status_of(house.at, "GET " + house.path + "/" + query + fields) == 404);
  expect(co_await status_of(house.at, "GET http://" + house.host + house.path + query + fields) == 404);
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS"})
    expect(co_await status_of(house.at, method + (" " + house.path + query) + " HTTP/1.1\r\nHost: " + house.host +
                                            "\r\nContent-Length: 0\r\n\r\n") == 405)
        << method;
  auto head = co_await ask_to_end(
      house.at, "HEAD " + house.path + query + " HTTP/1.1\r\nHost: " + house.host + "\r\nConnection: close\r\n\r\n");
  expect(head.has_value() && head->starts_with("HTTP/1.1 405 "));
  co_await succeed(house);
}

task<void> come_by_other_names(login_house& house) {
  const std::string port = house.host.substr(house.host.find(':'));
  const std::string line = "GET " + house.path + "?code=evil&state=right-state HTTP/1.1\r\n";
  for (const std::string& host :
       {"localhost" + port, "evil.example" + port, std::string{"127.0.0.1"}, "127.0.0.1" + port + ".evil.example",
        "[::1]" + port, std::string{}, std::string{"127.0.0.1:1"}})
    expect(co_await status_of(house.at, line + "Host: " + host + "\r\n\r\n") == 403) << host;
  expect(co_await status_of(house.at, line + "\r\n") == 400) << "none";
  expect(co_await status_of(house.at, line + "Host: " + house.host + "\r\nHost: evil.example\r\n\r\n") == 400);
  expect(co_await status_of(house.at, "GET " + house.path + " HTTP/1.0\r\n\r\n") == 403) << "none, and may be";
  co_await succeed(house);
}

const std::vector<std::string> xss{"<script>alert(1)</script>",
                                   "\"><img src=x onerror=alert(1)>",
                                   "'-alert(1)-'",
                                   "javascript:alert(1)",
                                   "<svg/onload=alert(1)>",
                                   "</title><script>alert(1)</script>",
                                   "{{7*7}}",
                                   "\r\nSet-Cookie: a=b\r\n\r\n<html>",
                                   "%3Cscript%3E",
                                   "&lt;b&gt;",
                                   "<!--",
                                   "]]>",
                                   "<meta http-equiv=refresh content=0;url=//evil.example>"};

// The page is the same, byte for byte, whatever the redirect says.
task<void> collect_page(login_house& house, std::string query, std::string& page) {
  auto answer = co_await ask(house.at, house.get(query));
  expect(fatal(answer.has_value()));
  page = std::to_string(answer->status) + answer->body;
  for (const http_field& one : answer->fields.all())
    if (one.name != "Date") page += one.name + ": " + one.value + '\n';
  const auto has = [&](const char* name, std::string_view value) {
    expect(answer->fields.find(name) == std::optional{value}) << name;
  };
  has("Content-Type", "text/html; charset=utf-8");
  has("Referrer-Policy", "no-referrer");
  has("Cache-Control", "no-store");
  has("X-Content-Type-Options", "nosniff");
  expect(answer->fields.find("Content-Security-Policy").value_or("").starts_with("default-src 'none';"));
  for (const char* never : {"Location", "Refresh", "Set-Cookie", "Access-Control-Allow-Origin"})
    expect(!answer->fields.find(never).has_value()) << never;
  expect(answer->body.find("<script") == std::string::npos);
  expect(answer->body.find("http") == std::string::npos);
}

task<void> come_slowly(login_house& house) {
  // Before them ten that say nothing, two that never end their request, and one that breaks it off.
  std::vector<stream> idle;
  for (int i = 0; i < 13; ++i) {
    auto made = co_await connect_to({house.at});
    expect(fatal(made.has_value()));
    if (i == 10) made->write("GET " + house.path);
    if (i == 11) made->write("GET / HTTP/1.1\r\nHost: " + house.host + "\r\nX: ");
    if (i == 12) co_await made->close();
    idle.push_back(*std::move(made));
  }
  co_await several_turns();
  co_await succeed(house);
  for (stream& one : idle) co_await one.close();
}

task<void> crowd_in(login_house& house) {
  std::vector<stream> crowd;
  for (int i = 0; i < 16; ++i) {
    auto made = co_await connect_to({house.at});
    expect(fatal(made.has_value()));
    crowd.push_back(*std::move(made));
  }
  co_await several_turns();
  expect(co_await status_of(house.at, house.success()) == 503) << "sixteen at a time";
  // By the clock of the test, which jumps, the sixteen are given up after five seconds.
  for (stream& one : crowd) {
    auto end = co_await read_to_end(one);
    expect(end.has_value());
    co_await one.close();
  }
  co_await succeed(house);
}

task<void> trickle(login_house& house) {
  auto made = co_await connect_to({house.at});
  expect(fatal(made.has_value()));
  made->write("GET " + house.path + "?code=x&sta");
  auto said = co_await read_to_end(*made);
  expect(said.has_value() && said->starts_with("HTTP/1.1 408 "));
  co_await made->close();
  co_await succeed(house);
}

task<void> come_with_too_much(login_house& house) {
  const std::string big(9'000, 'x');
  expect(co_await status_of(house.at, "GET " + house.path + "?code=x&state=right-state HTTP/1.1\r\nHost: " +
                                          house.host + "\r\nCookie: " + big + "\r\n\r\n") == 431);
  expect(co_await status_of(house.at, house.get("?code=x&state=right-state&x=" + std::string(400'000, 'x'))) == 431);
  expect(co_await status_of(house.at, "POST " + house.path + " HTTP/1.1\r\nHost: " + house.host +
                                          "\r\nContent-Length: 9000\r\n\r\n" + big) == 413);
  co_await succeed(house);
}

task<void> deny(login_house& house) {
  std::string text;
  while (text.size() < 100 << 10) text += "\x1B[31m<script>alert(1)</script>\n";
  const auto answer = co_await ask(
      house.at, house.get("?error=access_denied&state=right-state&error_description=" + form_encoded(text)));
  expect(fatal(answer.has_value()));
  expect(answer->status == 200_i);
  expect(contains(answer->body, "Not logged in"));
  expect(!contains(answer->body, "access_denied"));
  expect(!contains(answer->body, "alert"));
  co_await finish(house);
  expect(fatal(house.outcome && house.outcome->has_value()));
  const callback_answer& got = house.outcome->value();
  expect(got.code.empty());
  expect(got.error == std::string{"access_denied"});
  expect(got.error_description.size() <= 203_ul);
  expect(got.error_description.starts_with("[31m<script>alert(1)</script> [31m")) << got.error_description;
}

task<void> bring_nothing(login_house& house) {
  expect(co_await status_of(house.at, house.get("?state=right-state")) == 200);
  co_await finish(house);
  expect(fatal(house.outcome.has_value()));
  expect(fatal(!house.outcome->has_value()));
  expect(house.outcome->error().code == errc::protocol);
}

task<void> never_come(login_house& house) {
  co_await finish(house);
  expect(fatal(house.outcome.has_value()));
  expect(fatal(!house.outcome->has_value()));
  expect(house.outcome->error().code == errc::timed_out);
  co_await is_free(house.at);
}

task<void> come_from_outside(login_house& house) {
  ifaddrs* all = nullptr;
  expect(fatal(getifaddrs(&all) == 0));
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    std::array<char, INET_ADDRSTRLEN> text{};
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr, text.data(), text.size());
    const auto address = ip_address::parse(text.data());
    if (!address || *address == ip_address::loopback_v4()) continue;
    auto reached = co_await with_timeout(2s, connect_to({endpoint{*address, house.at.port}}));
    expect(!reached.has_value()) << text.data();
  }
  freeifaddrs(all);
  // Another address of loopback stands for an interface on machines that have none.
  const auto other = ip_address::parse("127.0.0.2");
  expect(fatal(other.has_value()));
  auto reached = co_await with_timeout(2s, connect_to({endpoint{*other, house.at.port}}));
  expect(!reached.has_value());
  if (has_v6()) {
    auto v6 = co_await with_timeout(2s, connect_to({endpoint{ip_address::loopback_v6(), house.at.port}}));
    expect(!v6.has_value());
  }
  co_await succeed(house);
}

task<void> stop_in_the_middle(loop& l) {
  co_await conduct(l, {}, 5min, [](login_house& house) -> task<void> {
    static constexpr auto visit = [](login_house& inside) -> task<void> {
      auto wrong = co_await ask(inside.at, inside.get("?state=wrong"));
      auto right = co_await ask(inside.at, inside.success());
      ignore(wrong, "a stop may have come first");
      ignore(right, "a stop may have come first");
      if (right) co_await finish(inside);
    };
    return visit(house);
  });
}

const suite<"callback server"> tests = [] {
  "the redirect with the right state ends the login, and the port is free"_test = [] { with_login(log_in_plainly); };
  "the path cannot be guessed, and is another one each time"_test = [] {
    loop l;
    std::string last;
    for (int i = 0; i < 20; ++i) {
      const auto server = callback_server::listen(l);
      expect(fatal(server.has_value()));
      const std::string uri = server->redirect_uri();
      expect(uri.starts_with("http://127.0.0.1:"));
      const std::string path = uri.substr(uri.find('/', 7));
      expect(path.starts_with("/callback/"));
      expect(path.size() == 32_ul) << "128 bits";
      expect(path != last);
      last = path;
    }
  };

  "a path and a port that were registered beforehand are taken as they are"_test = [] {
    with_login(log_in_plainly, {.path = "/callback"});
    loop l;
    const auto server = callback_server::listen(l, {.port = 0, .path = "/oauth/cb"});
    expect(fatal(server.has_value()));
    expect(server->redirect_uri().ends_with("/oauth/cb"));
    for (const char* path : {"callback", "/a b", "/a?b", "/a#b", "/a\r\nb", "//\xC3\xA9", "/%41"}) {
      const auto refused = callback_server::listen(l, {.path = path});
      expect(!refused && refused.error().code == errc::config) << path;
    }
  };

  "E05 T-22 forged redirects hear 400, and the right one is still waited for"_test = [] { with_login(forge_before); };
  "E05 T-22 the right state counts once"_test = [] {
    for (int i = 0; i < 20; ++i) with_login(forge_after);
  };
  "E06 T-24 a refusal with 100 KiB of escapes and markup ends the login, and shows nothing of it"_test = [] {
    with_login(deny);
  };
  "an answer with neither code nor error ends the login"_test = [] { with_login(bring_nothing); };

  "E08 T-23 favicons, other paths, POST and HEAD take nothing away from the right redirect"_test = [] {
    with_login(knock_wrongly);
  };
  "T-23 who comes by another name than 127.0.0.1 and the port is turned away"_test = [] {
    with_login(come_by_other_names);
  };
  "T-23 no other address than 127.0.0.1 is listened at"_test = [] { with_login(come_from_outside); };
  "T-23 T-24 pages are constant whatever the redirect says"_test = [] {
    std::string ours, denied;
    const auto page_for = [](std::string query) {
      std::string page;
      with_login([&](login_house& house) { return collect_page(house, query, page); });
      return page;
    };
    const std::string refused = page_for("?state=wrong&code=x");
    ours = page_for("?state=right-state&code=x");
    denied = page_for("?state=right-state&error=access_denied");
    for (const std::string& text : xss) {
      const std::string said = form_encoded(text);
      expect(page_for("?state=right-state&code=" + said + "&iss=" + said + '&' + said + '=' + said) == ours) << text;
      expect(page_for("?state=right-state&error=" + said + "&error_description=" + said + "&error_uri=" + said) ==
             denied)
          << text;
      expect(page_for("?state=" + said + "&code=" + said) == refused) << text;
    }
  };

  "E08 preconnected, idle and half-open connections are no obstacle"_test = [] {
    const auto begun = std::chrono::steady_clock::now();
    with_login(come_slowly);
    expect(std::chrono::steady_clock::now() - begun < 3s) << "nobody waits for them";
  };
  "T-23 sixteen connections at a time, five seconds each"_test = [] {
    manual_clock time;
    loop l{loop::options{.clock = &time}};
    l.run(conduct(l, {}, 5min, crowd_in));
    expect(time.elapsed() >= 5s);
    expect(time.elapsed() < 20s);
  };
  "T-23 who sends its request byte by byte is not waited for"_test = [] {
    manual_clock time;
    loop l{loop::options{.clock = &time}};
    l.run(conduct(l, {}, 5min, trickle));
    expect(time.elapsed() >= 5s);
    expect(time.elapsed() < 20s);
  };
  "T-23 more than 8 KiB of fields, an endless target and bodies are too much"_test = [] {
    with_login(come_with_too_much);
  };

  "E08 a port that is taken is an error at once, and names it"_test = [] {
    loop l;
    const auto first = callback_server::listen(l);
    expect(fatal(first.has_value()));
    const std::string port = first->redirect_uri().substr(17, first->redirect_uri().find('/', 17) - 17);
    const auto begun = std::chrono::steady_clock::now();
    const auto second =
        callback_server::listen(l, {.port = static_cast<std::uint16_t>(std::stoi(port)), .path = "/cb"});
    expect(std::chrono::steady_clock::now() - begun < 1s);
    expect(fatal(!second.has_value()));
    expect(second.error().code == errc::io);
    expect(contains(second.error().what, "127.0.0.1:" + port)) << second.error().what;
  };

  "E09 who never comes back is waited for as long as was said, five minutes at most"_test = [] {
    for (const auto& [bound, expected] : {std::pair<duration, duration>{30s, 30s}, {24h, 5min}}) {
      manual_clock time;
      loop l{loop::options{.clock = &time}};
      l.run(conduct(l, {}, bound, never_come));
      expect(time.elapsed() >= expected);
      expect(time.elapsed() < expected + 10s);
    }
  };

  "E23 a login can be stopped at every step, and leaves nothing behind"_test = [] {
    const int steps = every_step([](loop& l) { return stop_in_the_middle(l); });
    expect(steps > 5_i);
  };
};

}  // namespace

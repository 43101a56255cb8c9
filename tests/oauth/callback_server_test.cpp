// SPDX-License-Identifier: MIT
#include "../../oauth/callback_server.hpp"

#include <chrono>

#include "../../oauth/url_encoded_form.hpp"
#include "../support/every_step.hpp"
#include "../support/form_fields.hpp"
#include "../support/manual_clock.hpp"
#include "callback_visits.hpp"

namespace callback_server_test {

using namespace hawser;
using namespace hawser::testing;
using namespace hawser::testing::callbacks;
using namespace std::chrono_literals;

task<void> log_in_plainly(callback_fixture& fixture) {
  auto answer = co_await ask(fixture.at, fixture.get("?state=right-state&iss=https%3A%2F%2Fa.example&code=the-code"));
  expect(fatal(answer.has_value()));
  expect(answer->status == 200_i);
  co_await finish(fixture);
  expect(fatal(fixture.outcome && fixture.outcome->has_value()));
  expect(fixture.outcome->value().code == secret{"the-code"});
  expect(fixture.outcome->value().iss == std::string{"https://a.example"});
  expect(fixture.outcome->value().error.empty());
  co_await is_free(fixture.at);
  auto again = co_await fixture.server.wait(secret{right_state});
  expect(!again && again.error().code == errc::closed) << "a login is waited for once";
}

task<void> forge_before(callback_fixture& fixture) {
  for (const char* query :
       {"", "?", "?code=evil", "?code=evil&state=", "?code=evil&state=wrong-state",
        "?code=evil&state=right-state&state=right-state", "?code=evil&code=x&state=right-state", "?error=access_denied",
        "?error=access_denied&state=wrong", "?state=right-state%00&code=x", "?code=%zz&state=right-state"})
    expect(co_await status_of(fixture.at, fixture.get(query)) == 400) << query;
  co_await succeed(fixture);
}

task<void> forge_after(callback_fixture& fixture) {
  // Two on two connections before the loop has a turn to close anything.
  auto first = co_await connect_to({fixture.at});
  auto second = co_await connect_to({fixture.at});
  expect(fatal(first.has_value() && second.has_value()));
  first->write(fixture.success());
  second->write(fixture.success("another"));
  auto one = co_await received_response::read(*first);
  auto two = co_await received_response::read(*second);
  co_await finish(fixture);
  const int a = one ? one->status : 0;
  const int b = two ? two->status : 0;
  expect((a == 200) != (b == 200)) << a << b;
  expect(a + b == 200 || a + b == 600) << "the other one heard 400, or found the door closed";
  expect(fatal(fixture.outcome && fixture.outcome->has_value()));
  expect(fixture.outcome->value().code == secret{a == 200 ? "the-code" : "another"});
  co_await first->close();
  co_await second->close();
  co_await is_free(fixture.at);
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
task<void> collect_page(callback_fixture& fixture, std::string query, std::string& page) {
  auto answer = co_await ask(fixture.at, fixture.get(query));
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

task<void> deny(callback_fixture& fixture) {
  std::string text;
  while (text.size() < 100 << 10) text += "\x1B[31m<script>alert(1)</script>\n";
  const auto answer = co_await ask(
      fixture.at, fixture.get("?error=access_denied&state=right-state&error_description=" + percent_encoded(text)));
  expect(fatal(answer.has_value()));
  expect(answer->status == 200_i);
  expect(contains(answer->body, "Not logged in"));
  expect(!contains(answer->body, "access_denied"));
  expect(!contains(answer->body, "alert"));
  co_await finish(fixture);
  expect(fatal(fixture.outcome && fixture.outcome->has_value()));
  const authorization_response& got = fixture.outcome->value();
  expect(got.code.empty());
  expect(got.error == std::string{"access_denied"});
  expect(got.error_description.size() <= text.size());
  expect(got.error_description.starts_with("[31m<script>alert(1)</script> [31m")) << got.error_description;
}

task<void> bring_nothing(callback_fixture& fixture) {
  expect(co_await status_of(fixture.at, fixture.get("?state=right-state")) == 200);
  co_await finish(fixture);
  expect(fatal(fixture.outcome.has_value()));
  expect(fatal(!fixture.outcome->has_value()));
  expect(fixture.outcome->error().code == errc::protocol);
}

task<void> never_come(callback_fixture& fixture) {
  co_await finish(fixture);
  expect(fatal(fixture.outcome.has_value()));
  expect(fatal(!fixture.outcome->has_value()));
  expect(fixture.outcome->error().code == errc::timed_out);
  co_await is_free(fixture.at);
}

task<void> stop_in_the_middle(loop& l) {
  co_await conduct(l, {}, 5min, [](callback_fixture& fixture) -> task<void> {
    static constexpr auto visit = [](callback_fixture& inside) -> task<void> {
      auto wrong = co_await ask(inside.at, inside.get("?state=wrong"));
      auto right = co_await ask(inside.at, inside.success());
      ignore(wrong, "a stop may have come first");
      ignore(right, "a stop may have come first");
      if (right) co_await finish(inside);
    };
    return visit(fixture);
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

  "T-23 T-24 pages are constant whatever the redirect says"_test = [] {
    std::string ours, denied;
    const auto page_for = [](std::string query) {
      std::string page;
      with_login([&](callback_fixture& fixture) { return collect_page(fixture, query, page); });
      return page;
    };
    const std::string refused = page_for("?state=wrong&code=x");
    ours = page_for("?state=right-state&code=x");
    denied = page_for("?state=right-state&error=access_denied");
    for (const std::string& text : xss) {
      const std::string said = percent_encoded(text);
      expect(page_for("?state=right-state&code=" + said + "&iss=" + said + '&' + said + '=' + said) == ours) << text;
      expect(page_for("?state=right-state&error=" + said + "&error_description=" + said + "&error_uri=" + said) ==
             denied)
          << text;
      expect(page_for("?state=" + said + "&code=" + said) == refused) << text;
    }
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

  "E09 the wait for the redirect ends after its bound, at most five minutes"_test = [] {
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

}  // namespace callback_server_test

// SPDX-License-Identifier: MIT
// What a server that nobody vouches for can do to those who have to ask it.
#include "../../oauth/oauth_http.hpp"

#include "../support/colliding_names.hpp"
#include "../support/every_step.hpp"
#include "../support/oauth_http_fixture.hpp"

namespace oauth_http_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::colliding_object;
using testing::mapped_table;
using testing::one_address;
using testing::received_request;
using testing::scripted_connection;
using testing::scripted_http_server;
using testing::with_oauth_http;

struct outcome {
  oauth_response answer{};
  std::optional<error> failure{};
  [[nodiscard]] bool mentions(std::string_view part) const { return said().find(part) != std::string::npos; }
  [[nodiscard]] std::string said() const {
    return failure ? failure->what : std::to_string(answer.status) + ' ' + answer.fault;
  }
};

outcome outcome_of(result<oauth_response> got) {
  if (!got) return {.failure = got.error()};
  return {.answer = *std::move(got)};
}

task<void> getting(oauth_http& over, http_url from, outcome* into) {
  *into = outcome_of(co_await over.get(std::move(from)));
}

task<void> posting(oauth_http& over, http_url to, outcome* into) {
  *into = outcome_of(co_await over.post_form(std::move(to), secret{"a=b"}, secret{"Authorization: Basic eA==\r\n"}));
}

void answers(scripted_connection& with, std::string_view status, std::string_view type, std::string_view body) {
  while (with.request()) with.reply(status, type, body);
}

using asking = task<void> (*)(oauth_http&, http_url, outcome*);

outcome answer_of(asking how, scripted_http_server::script each, duration bound = 15s) {
  const scripted_http_server server{std::move(each)};
  outcome got;
  with_oauth_http([&](oauth_http& over) { return how(over, server.url("/token?key=hidden"), &got); }, {.bound = bound});
  return got;
}

outcome answer_with(asking how, std::string_view status, std::string_view type, std::string body) {
  return answer_of(how, [=](scripted_connection& with) { answers(with, status, type, body); });
}

std::string nested(int depth) {
  std::string text = R"({"a":)";
  for (int i = 1; i < depth; ++i) text += '[';
  for (int i = 1; i < depth; ++i) text += ']';
  return text + '}';
}

const suite<"web"> tests = [] {
  "an object comes back as one"_test = [] {
    const outcome got = answer_with(getting, "200 OK", "application/json", R"({"a":"b"})");
    expect(got.answer.status == 200_i) << got.said();
    expect(got.answer.is_json) << got.said();
    expect(got.answer.body.at("a").as_string() == "b");
  };

  "a question says what it wants to read, and a form what it is"_test = [] {
    const scripted_http_server server{
        [](scripted_connection& with) { answers(with, "200 OK", "application/json", "{}"); }};
    with_oauth_http([&](oauth_http& over) -> task<void> {
      outcome got;
      co_await getting(over, server.url("/a"), &got);
      co_await posting(over, server.url("/b"), &got);
    });
    const auto seen = server.seen();
    expect(fatal(seen.size() == 2_ul));
    expect(seen[0].is("GET") && seen[0].field("Accept") == "application/json") << seen[0].head;
    expect(seen[0].field("MCP-Protocol-Version") == "2025-11-25") << seen[0].head;
    expect(seen[0].field("Authorization").empty());
    expect(seen[1].is("POST") && seen[1].field("Content-Type") == "application/x-www-form-urlencoded") << seen[1].head;
    expect(seen[1].field("Authorization") == "Basic eA==" && seen[1].body == "a=b") << seen[1].head;
  };

  "E01 what is no JSON object is an answer with a fault"_test = [] {
    for (const std::string text : {"<html>", "", "[1]", "\"a\"", "{\"a\":}", "{} {}", "{\"a\":NaN}"}) {
      const outcome got = answer_with(getting, "200 OK", "text/html", text);
      expect(!got.failure && !got.answer.is_json && got.mentions("is not")) << text << got.said();
    }
  };

  "E01 the 33rd level of nesting is too deep, a hundredth too"_test = [] {
    expect(answer_with(getting, "200 OK", "application/json", nested(32)).answer.is_json);
    for (const int depth : {33, 100, 10'000}) {
      const outcome got = answer_with(getting, "200 OK", "application/json", nested(depth));
      expect(!got.failure && !got.answer.is_json && got.mentions("deep")) << got.said();
    }
  };

  "FRZ-12 an object whose names collide in a hash table is an answer with a fault"_test = [] {
    const outcome got = answer_with(getting, "200 OK", "application/json", colliding_object(12, mapped_table));
    expect(!got.failure && !got.answer.is_json && got.mentions("collide")) << got.said();
  };

  "E01 ten megabytes are refused, announced or not, and the error names the url without its query"_test = [] {
    const outcome announced = answer_with(getting, "200 OK", "application/json", std::string(10 << 20, ' '));
    const outcome endless = answer_of(getting, [](scripted_connection& with) {
      if (!with.request()) return;
      with.say("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
      with.say(std::string(10 << 20, ' '));
    });
    for (const outcome& got : {announced, endless}) {
      expect(fatal(got.failure.has_value()));
      expect(got.failure->code == errc::too_large) << got.said();
      expect(got.mentions("/token") && !got.mentions("hidden")) << got.said();
    }
  };

  "an error page may be larger than what is read, its status counts"_test = [] {
    for (const asking how : {getting, posting}) {
      const outcome got = answer_with(how, "404 Not Found", "text/html", std::string(400'000, 'x'));
      expect(!got.failure && got.answer.status == 404) << got.said();
    }
  };

  "the error of a post is read"_test = [] {
    const outcome got = answer_with(posting, "400 Bad Request", "application/json", R"({"error":"invalid_grant"})");
    expect(got.answer.status == 400 && got.answer.is_json) << got.said();
  };

  "E11 who never answers is given up after the bound, and may have done what was asked"_test = [] {
    const outcome got = answer_of(
        posting,
        [](scripted_connection& with) {
          if (with.request()) with.hang();
        },
        100ms);
    expect(fatal(got.failure.has_value()));
    expect(got.failure->code == errc::timed_out && got.failure->executed == execution::unknown) << got.said();
    expect(got.mentions("/token") && !got.mentions("hidden")) << got.said();
  };

  "a body that drips is given up after the bound, too"_test = [] {
    const outcome got = answer_of(
        getting,
        [](scripted_connection& with) {
          if (!with.request()) return;
          with.say("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
          with.slowly(std::string(30, ' '), 10ms);
          with.hang();
        },
        200ms);
    expect(fatal(got.failure.has_value()));
    expect(got.failure->code == errc::timed_out) << got.said();
  };

  "a redirect of a get is followed within the origin, of a post never"_test = [] {
    const scripted_http_server server{[](scripted_connection& with) {
      while (const auto asked = with.request()) {
        if (asked->head.find(" /there") != std::string::npos) {
          with.json(R"({"at":"there"})");
        } else {
          with.reply("307 Temporary Redirect", "text/plain", "", "Location: /there\r\n");
        }
      }
    }};
    with_oauth_http([&](oauth_http& over) -> task<void> {
      outcome got;
      co_await getting(over, server.url("/a"), &got);
      expect(got.answer.is_json) << got.said();
      co_await posting(over, server.url("/a"), &got);
      expect(got.answer.status == 307_i) << got.said();
    });
    expect(server.seen().size() == 3_ul);
  };

  "a post takes a new connection, whatever is kept"_test = [] {
    const scripted_http_server server{
        [](scripted_connection& with) { answers(with, "200 OK", "application/json", "{}"); }};
    with_oauth_http([&](oauth_http& over) -> task<void> {
      outcome got;
      for (const asking how : {getting, getting, posting, posting}) co_await how(over, server.url(), &got);
    });
    expect(server.connections() == 3_i);
  };

  "E02 what lies further inward than the url of the user is not asked, proxy or not"_test = [] {
    const scripted_http_server server{
        [](scripted_connection& with) { answers(with, "200 OK", "application/json", "{}"); }};
    const scripted_http_server proxy{
        [](scripted_connection& with) { answers(with, "200 OK", "application/json", "{}"); }};
    const proxy_rules through{.for_http = proxy.origin()};
    for (const proxy_rules& rules : {proxy_rules{}, through}) {
      with_oauth_http(
          [&](oauth_http& over) -> task<void> {
            for (const std::string host :
                 {"127.0.0.1", "localhost", "a.localhost", "[::1]", "[::ffff:127.0.0.1]", "10.0.0.1"}) {
              outcome got;
              auto to = http_url::parse("http://" + host + ':' + std::to_string(server.port()) + "/x").value();
              co_await getting(over, to, &got);
              expect(got.failure && got.failure->code == errc::protocol && got.mentions("further inward"))
                  << host << got.said();
              co_await posting(over, to, &got);
              expect(got.failure && got.failure->code == errc::protocol) << host << got.said();
            }
            outcome got;
            co_await getting(over, http_url::parse("http://169.254.169.254/latest").value(), &got);
            expect(got.failure && got.failure->code == errc::protocol) << got.said();
          },
          {.innermost = network_zone::open, .proxies = rules});
    }
    expect(server.connections() == 0_i);
    expect(proxy.connections() == 0_i);
  };

  "E02 a name that leads inward is refused when its address is known, a form never leaves"_test = [] {
    const scripted_http_server server{
        [](scripted_connection& with) { answers(with, "200 OK", "application/json", "{}"); }};
    one_address names{ip_address::loopback_v4()};
    for (const network_zone zone : {network_zone::open, network_zone::internal, network_zone::loopback}) {
      with_oauth_http(
          [&](oauth_http& over) -> task<void> {
            auto to = http_url::parse("http://as.example:" + std::to_string(server.port()) + "/x").value();
            for (const asking how : {getting, posting}) {
              outcome got;
              co_await how(over, to, &got);
              expect(got.failure.has_value() == (zone != network_zone::loopback)) << got.said();
              if (got.failure)
                expect(got.failure->code == errc::protocol && got.mentions("further inward")) << got.said();
            }
          },
          {.innermost = zone, .names = &names});
    }
    expect(server.seen().size() == 2_ul);
  };

  "E02 only https, or http on this machine, is taken from a server"_test = [] {
    for (const std::string_view good :
         {"https://as.example", "https://as.example/t1?x=1", "https://10.0.0.1/a", "http://127.0.0.1:8080/a",
          "http://localhost/a", "http://a.localhost", "http://[::1]:1/", "HTTPS://AS.example/"})
      expect(parse_untrusted_url(good, "x").has_value()) << good;
    for (const std::string_view bad : {"http://as.example/token",
                                       "http://10.0.0.1/",
                                       "file:///etc/passwd",
                                       "javascript:alert(1)",
                                       "data:,x",
                                       "vbscript:x",
                                       "ftp://as.example/",
                                       "https://me:pw@as.example/",
                                       "https://me@as.example/",
                                       "//as.example/",
                                       "/token",
                                       "",
                                       "https://",
                                       "https://as.example/#x",
                                       "http://169.254.169.254/latest/meta-data",
                                       "https://169.254.169.254/",
                                       "https://[fd00:ec2::254]/",
                                       "https://0.0.0.0/",
                                       "https://0x7f.1/",
                                       "http://127.1/",
                                       "https://as.example/a b",
                                       "https://as.example/\x1b[31m",
                                       "https://as.example\\@evil/",
                                       "http://localhost.evil.example/",
                                       "http://127.0.0.1.evil.example/",
                                       "https://100.100.100.200/"}) {
      const auto refused = parse_untrusted_url(bad, "the token endpoint");
      expect(fatal(!refused.has_value())) << bad;
      expect(refused.error().code == errc::protocol) << bad;
      expect(refused.error().what.starts_with("the token endpoint: url \"")) << refused.error().what;
      expect(refused.error().what.find("pw") == std::string::npos) << refused.error().what;
      expect(refused.error().what.find('\x1b') == std::string::npos) << bad;
    }
  };

  "a stop at any step of an exchange leaves nothing behind"_test = [] {
    const scripted_http_server server{
        [](scripted_connection& with) { answers(with, "200 OK", "application/json", R"({"a":1})"); }};
    for (const asking how : {getting, posting}) {
      testing::every_step([&](loop& l) -> task<void> {
        return testing::run_with_oauth_http(l, [&](oauth_http& over) -> task<void> {
          outcome got;
          co_await how(over, server.url(), &got);
        });
      });
    }
  };

  "T-15 E02 nobody is shown a page that lies further inward than the url of the user"_test = [] {
    const auto shown = [](const std::string& url, network_zone innermost, const char* address) {
      one_address names{ip_address::parse(address).value()};
      std::optional<result<void>> got;
      with_oauth_http(
          [&](oauth_http& over) -> task<void> { got = co_await over.check_browser_zone(http_url::parse(url).value()); },
          {.innermost = innermost, .names = &names});
      if (got->has_error())
        expect(got->error().code == errc::protocol && got->error().what.find("is refused") != std::string::npos);
      return got->has_value();
    };
    for (const char* inward : {"http://127.0.0.1:9/admin?do=reset", "https://192.168.0.1/reboot", "https://10.0.0.1/a",
                               "http://localhost:631/x", "http://[::1]:8080/"})
      expect(!shown(inward, network_zone::open, "93.184.216.34")) << inward;
    expect(shown("https://as.example/authorize", network_zone::open, "93.184.216.34"));
    for (const char* address : {"127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:192.168.0.1"})
      expect(!shown("https://as.example/authorize", network_zone::open, address)) << address;
    expect(shown("https://as.example/authorize", network_zone::internal, "10.0.0.1"));
    expect(!shown("https://as.example/authorize", network_zone::internal, "127.0.0.1"));
    expect(shown("http://127.0.0.1:9/authorize", network_zone::loopback, "127.0.0.1"));
    expect(!shown("https://as.example/authorize", network_zone::loopback, "169.254.169.254")) << "nobody's";
  };
};

}  // namespace oauth_http_test

// SPDX-License-Identifier: MIT
// Requests with credentials: whom a channel asks for them, what it tells of a refusal, and how often it tries.
#include <atomic>

#include "../../../runtime/async/event.hpp"
#include "../../../runtime/async/scope.hpp"
#include "../../support/every_step.hpp"
#include "../../support/http_channel_fixture.hpp"

namespace http_authorization_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::answer_to;
using testing::greets;
using testing::http_call_outcome;
using testing::http_channel_fixture;
using testing::received_request;
using testing::scripted_connection;
using testing::scripted_http_server;
using testing::with_http_channel;

// Gives out token-1, and the next one whenever that is refused, as often as it likes.
class scripted_login final : public authorizer {
 public:
  [[nodiscard]] std::optional<credentials> cached() override { return ready ? std::optional{made()} : std::nullopt; }
  task<result<credentials>> acquire() override {
    ++grants;
    if (denial) co_return *denial;
    co_return made();
  }
  task<result<credentials>> on_challenge(auth_challenge why) override {
    refusals.push_back(std::move(why));
    if (hold != nullptr) {
      arrived.set();
      auto waited = co_await hold->wait();
      if (!waited) co_return waited.error();
    }
    if (gives_up) co_return error{.code = errc::auth, .what = "a person has to log in"};
    ++serial;
    co_return made();
  }

  [[nodiscard]] credentials made() const {
    return {.fields = secret{"Authorization: Bearer token-" + std::to_string(serial) + "\r\n"},
            .serial = serial,
            .fresh = serial > stale};
  }

  std::uint64_t serial = 1;
  std::uint64_t stale = 1;  // what has a greater serial was just obtained
  int grants = 0;
  std::vector<auth_challenge> refusals{};
  std::optional<error> denial{};
  bool gives_up = false;
  bool ready = false;  // nothing has to be waited for
  event* hold = nullptr;
  event arrived{};
};

using answering = std::function<void(scripted_connection&, const received_request&)>;

scripted_http_server::script each(answering one) {
  return [one = std::move(one)](scripted_connection& with) {
    while (auto asked = with.request()) one(with, *asked);
  };
}

bool carries(const received_request& asked, std::string_view token) {
  return asked.field("Authorization") == "Bearer " + std::string{token};
}

struct asking {
  std::string method;
  std::string name;
};

// What becomes of calls of the modern era, one after the other.
std::vector<http_call_outcome> calls(const scripted_http_server& server, scripted_login& login,
                                     const std::vector<asking>& all) {
  std::vector<http_call_outcome> got;
  http_channel_options options;
  options.login = &login;
  with_http_channel(
      server,
      [&](http_channel_fixture& fixture) -> task<void> {
        fixture.modern();
        for (const asking& one : all) {
          const std::string params =
              R"({"name":")" + one.name + R"(","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})";
          http_call_outcome outcome = co_await fixture.call(one.method, params);
          got.push_back(std::move(outcome));
        }
      },
      std::move(options));
  return got;
}

http_call_outcome call(const scripted_http_server& server, scripted_login& login) {
  return calls(server, login, {{"tools/list", ""}}).at(0);
}

constexpr std::string_view refusal = "401 Unauthorized";

// Refuses while it is not open.
class switched_check final : public send_check {
 public:
  [[nodiscard]] result<void> may_send() const override {
    if (open) return {};
    return error{.code = errc::tool_unknown, .what = "no longer admitted"};
  }
  std::atomic<bool> open = true;
};

task<void> record_call(http_channel_fixture& fixture, std::string params, call_options options,
                       http_call_outcome& into) {
  into = co_await fixture.call("tools/call", std::move(params), std::move(options));
}

const suite<"http login"> tests = [] {
  "every request of a session has the credentials, the stream of events and the goodbye, too"_test = [] {
    const scripted_http_server server{each([](scripted_connection& with, const received_request& asked) {
      if (!greets(with, asked, "mcp-session-id: s\r\n")) with.json(answer_to(asked));
    })};
    scripted_login login;
    http_channel_options options;
    options.login = &login;
    with_http_channel(
        server,
        [&](http_channel_fixture& fixture) -> task<void> {
          const http_call_outcome greeted = co_await fixture.initialize();
          expect(!greeted.failure.has_value()) << greeted.said();
          const bool listened = co_await http_channel_fixture::until([&] {
            for (const received_request& one : server.seen()) {
              if (one.is("GET")) return true;
            }
            return false;
          });
          expect(listened);
        },
        std::move(options));
    for (const received_request& one : server.seen()) expect(carries(one, "token-1")) << one.head;
    expect(server.seen().back().is("DELETE"));
  };

  "C14 a refusal without a challenge is told as it is, and what comes next is tried once"_test = [] {
    const scripted_http_server server{each([](scripted_connection& with, const received_request& asked) {
      if (carries(asked, "token-2")) return with.json(answer_to(asked));
      with.reply(refusal, "text/plain", "who are you?");
    })};
    scripted_login login;
    const http_call_outcome got = call(server, login);
    expect(got.result == R"({"ok":true})") << got.said();
    expect(fatal(login.refusals.size() == 1_ul));
    expect(login.refusals[0].status == 401_i and login.refusals[0].serial == 1_ul and
           login.refusals[0].challenges.empty());
    expect(login.refusals[0].operation == "tools/list") << login.refusals[0].operation;
    expect(server.connections() == 1_i) << "the connection is used again";
  };

  "credentials at hand go with a call over an idle connection; its refusal is told, and it is made again"_test = [] {
    for (const bool gives_up : {false, true}) {
      const scripted_http_server server{each([](scripted_connection& with, const received_request& asked) {
        const bool stale = asked.body.find("\"late\"") != std::string::npos && carries(asked, "token-1");
        if (stale) return with.reply(refusal, "text/plain", "who are you?", "WWW-Authenticate: Bearer scope=\"x\"\r\n");
        with.json(answer_to(asked));
      })};
      scripted_login login;
      login.ready = true;
      login.gives_up = gives_up;
      const std::vector<std::string> names{"early", "early", "late", "late"};
      std::vector<asking> all;
      for (const std::string& name : names) all.push_back({"tools/call", name});
      const std::vector<http_call_outcome> got = calls(server, login, all);
      for (std::size_t i = 0; i < got.size(); ++i) {
        const bool refused = gives_up && names[i] == "late";
        expect(refused == got[i].failure.has_value()) << got[i].said();
        expect(!refused or got[i].failed_with(errc::auth, execution::no)) << got[i].said();
      }
      expect(fatal(login.refusals.size() == (gives_up ? 2U : 1U)));
      expect(login.refusals[0].serial == 1_ul and login.refusals[0].operation == "tools/call");
      expect(login.refusals[0].challenges == std::vector<std::string>{"Bearer scope=\"x\""});
      expect(login.grants == 0_i and server.connections() == 1_i);
      for (const received_request& one : server.seen()) expect(!one.field("Authorization").empty()) << one.head;
    }
  };

  "T-29 what somebody else had obtained may be stale, too: it is what is fresh that is tried once"_test = [] {
    const scripted_http_server server{each([](scripted_connection& with, const received_request& asked) {
      if (carries(asked, "token-3")) return with.json(answer_to(asked));
      with.reply(refusal, "text/plain", "");
    })};
    scripted_login login;
    login.stale = 2;
    const http_call_outcome got = call(server, login);
    expect(got.result == R"({"ok":true})") << got.said();
    expect(login.refusals.size() == 2_ul);
  };

  "C14 three challenges and a malformed one arrive as they came"_test = [] {
    const scripted_http_server server{each([](scripted_connection& with, const received_request& asked) {
      if (carries(asked, "token-2")) return with.json(answer_to(asked));
      with.reply(
          refusal, "text/plain", "",
          "WWW-Authenticate: Basic realm=\"a, b\", Negotiate dG9rZW4=\r\nwww-authenticate: Bearer scope=\"x\"\r\n"
          "WWW-Authenticate: =,\"\r\n");
    })};
    scripted_login login;
    const http_call_outcome got = call(server, login);
    expect(got.result == R"({"ok":true})") << got.said();
    expect(fatal(login.refusals.size() == 1_ul and login.refusals[0].challenges.size() == 3_ul));
    expect(login.refusals[0].challenges[0] == R"(Basic realm="a, b", Negotiate dG9rZW4=)");
    expect(login.refusals[0].challenges[1] == R"(Bearer scope="x")" and login.refusals[0].challenges[2] == R"(=,")");
  };

  "C14 after a second refusal no third request is sent"_test = [] {
    const scripted_http_server server{
        each([](scripted_connection& with, const received_request&) { with.reply(refusal, "text/plain", ""); })};
    scripted_login login;
    const http_call_outcome got = call(server, login);
    expect(got.failed_with(errc::auth, execution::no)) << got.said();
    expect(login.refusals.size() == 1_ul and server.seen().size() == 2_ul);
  };

  "C15 a login and then more scope are tried once each, however often the server refuses"_test = [] {
    std::atomic<int> count = 0;
    const scripted_http_server server{each([&](scripted_connection& with, const received_request&) {
      if (count++ % 2 == 0) return with.reply(refusal, "text/plain", "");
      with.reply("403 Forbidden", "text/plain", "", "WWW-Authenticate: Bearer error=\"insufficient_scope\"\r\n");
    })};
    scripted_login login;
    const http_call_outcome got = call(server, login);
    expect(got.failed_with(errc::auth, execution::no)) << got.said();
    expect(fatal(login.refusals.size() == 2_ul));
    expect(login.refusals[1].status == 403_i and login.refusals[1].serial == 2_ul and server.seen().size() == 3_ul);
  };

  "CLM-2 a call is sent once more with new credentials after 401, and once more after a bearer challenge of 403"_test =
      [] {
        struct example {
          std::vector<std::string> refused;  // the status of each answer, the last one for ever
          std::size_t sent;
        };
        const std::string scope = "403 Forbidden";
        for (const example& one : {example{{"401 Unauthorized"}, 2}, example{{scope}, 2},
                                   example{{"401 Unauthorized", scope}, 3}, example{{scope, "401 Unauthorized"}, 3}}) {
          std::atomic<std::size_t> count = 0;
          const scripted_http_server server{each([&](scripted_connection& with, const received_request&) {
            with.reply(one.refused[std::min<std::size_t>(count++, one.refused.size() - 1)], "text/plain", "",
                       "WWW-Authenticate: Bearer error=\"insufficient_scope\"\r\n");
          })};
          scripted_login login;
          login.stale = 100;  // none of them is known to be fresh
          const std::vector<http_call_outcome> got = calls(server, login, {{"tools/call", "t"}});
          expect(got.at(0).failed_with(errc::auth, execution::no)) << got.at(0).said();
          expect(server.seen().size() == one.sent) << one.refused.front() << server.seen().size();
        }
      };

  "CLM-2 a redirect is followed once, also where the server then wants other credentials"_test = [] {
    const scripted_http_server server{each([](scripted_connection& with, const received_request& asked) {
      if (asked.head.starts_with("POST /mcp "))
        return with.reply("307 Temporary Redirect", "text/plain", "", "Location: /mcp/\r\n");
      if (carries(asked, "token-2")) return with.json(answer_to(asked));
      with.reply(refusal, "text/plain", "");
    })};
    scripted_login login;
    const std::vector<http_call_outcome> got = calls(server, login, {{"tools/call", "t"}});
    expect(got.at(0).result == R"({"ok":true})") << got.at(0).said();
    expect(server.seen().size() == 3_ul) << server.seen().size();
  };

  "CLM-2 403 with a challenge of another scheme is no reason to send a call again"_test = [] {
    const scripted_http_server server{each([](scripted_connection& with, const received_request&) {
      with.reply("403 Forbidden", "text/plain", "", "WWW-Authenticate: Basic realm=\"x\"\r\n");
    })};
    scripted_login login;
    const std::vector<http_call_outcome> got = calls(server, login, {{"tools/call", "t"}});
    expect(got.at(0).failed_with(errc::remote, execution::unknown)) << got.at(0).said();
    expect(login.refusals.empty() and server.seen().size() == 1_ul);
  };

  "a plain denial is nothing that a login would mend"_test = [] {
    const scripted_http_server server{
        each([](scripted_connection& with, const received_request&) { with.reply("403 No", "text/plain", "no"); })};
    scripted_login login;
    const http_call_outcome got = call(server, login);
    expect(got.failed_with(errc::remote, execution::unknown) and login.refusals.empty());
    expect(got.mentions("logging in does not help") and server.seen().size() == 1_ul) << got.said();
  };

  "where there may be no request without credentials, there is none"_test = [] {
    const scripted_http_server server{
        each([](scripted_connection& with, const received_request& asked) { with.json(answer_to(asked)); })};
    scripted_login login;
    login.denial = error{.code = errc::auth, .what = "the login is broken"};
    const http_call_outcome got = call(server, login);
    expect(got.failure.has_value() and got.failure->code == errc::auth) << got.said();
    expect(got.mentions("the login is broken") and server.seen().empty()) << got.said();
  };

  "what a person has to do is what the call says"_test = [] {
    const scripted_http_server server{
        each([](scripted_connection& with, const received_request&) { with.reply(refusal, "text/plain", ""); })};
    scripted_login login;
    login.gives_up = true;
    const http_call_outcome got = call(server, login);
    expect(got.failed_with(errc::auth, execution::no)) << got.said();
    expect(got.mentions("a person has to log in") and server.seen().size() == 1_ul) << got.said();
  };

  "SEC-1 a call that is not admitted any more is not sent a second time, after 401 or a redirect"_test = [] {
    for (const bool redirects : {false, true}) {
      for (const bool admitted : {false, true}) {
        const auto check = std::make_shared<switched_check>();
        const scripted_http_server server{each([&](scripted_connection& with, const received_request& asked) {
          if (asked.head.find("/again") != std::string::npos || carries(asked, "token-2"))
            return with.json(answer_to(asked));
          check->open = admitted;
          if (redirects) return with.reply("307 Temporary Redirect", "text/plain", "", "Location: /again\r\n");
          with.reply(refusal, "text/plain", "");
        })};
        scripted_login login;
        http_channel_options options;
        options.login = &login;
        with_http_channel(
            server,
            [&](http_channel_fixture& fixture) -> task<void> {
              fixture.modern();
              call_options checked;
              checked.check = check;
              const http_call_outcome got = co_await fixture.call("tools/call", R"({"name":"t"})", checked);
              expect(admitted ? got.result == R"({"ok":true})" : got.failed_with(errc::tool_unknown, execution::no))
                  << got.said();
              expect(admitted or got.said() == "no longer admitted") << got.said();
            },
            std::move(options));
        expect(server.asked("tools/call") == (admitted ? 2U : 1U)) << redirects;
      }
    }
  };

  "SEC-1 a call that waited for a connection is checked before it is sent"_test = [] {
    for (const bool admitted : {false, true}) {
      const auto check = std::make_shared<switched_check>();
      const scripted_http_server server{each([&](scripted_connection& with, const received_request& asked) {
        if (asked.body.find("\"first\"") != std::string::npos) {
          std::this_thread::sleep_for(200ms);
          check->open = admitted;
        }
        with.json(answer_to(asked));
      })};
      http_channel_options options;
      options.client.max_connections = 1;
      with_http_channel(
          server,
          [&](http_channel_fixture& fixture) -> task<void> {
            fixture.modern();
            call_options checked;
            checked.check = check;
            http_call_outcome first;
            http_call_outcome second;
            scope calls{co_await this_context()};
            calls.spawn(record_call(fixture, R"({"name":"first"})", {}, first));
            calls.spawn(record_call(fixture, R"({"name":"second"})", checked, second));
            co_await calls.join();
            expect(!first.failure.has_value()) << first.said();
            expect(admitted ? !second.failure.has_value() : second.failed_with(errc::tool_unknown, execution::no))
                << second.said();
          },
          std::move(options));
      expect(server.asked("tools/call") == (admitted ? 2U : 1U));
    }
  };

  "a call that is given up while somebody logs in is not made again"_test = [] {
    const scripted_http_server server{
        each([](scripted_connection& with, const received_request&) { with.reply(refusal, "text/plain", ""); })};
    event hold;
    scripted_login login;
    login.hold = &hold;
    http_channel_options options;
    options.login = &login;
    with_http_channel(
        server,
        [&](http_channel_fixture& fixture) -> task<void> {
          fixture.modern();
          call_options soon;
          soon.idle_timeout = 100ms;
          const http_call_outcome got = co_await fixture.call("tools/list", "{}", soon);
          expect(got.failure.has_value() and got.failure->code == errc::timed_out) << got.said();
          hold.set();
          for (int i = 0; i < 20; ++i) {
            auto turn = co_await sleep_for(duration::zero());
            expect(turn.has_value());
          }
        },
        std::move(options));
    std::size_t calls = 0;
    for (const received_request& one : server.seen()) calls += one.asks("tools/list") ? 1 : 0;
    expect(calls == 1_ul and login.refusals.size() >= 1_ul);
  };

  "a redirect does not take credentials to another origin"_test = [] {
    const scripted_http_server thief{
        each([](scripted_connection& with, const received_request& asked) { with.json(answer_to(asked)); })};
    const scripted_http_server server{each([&](scripted_connection& with, const received_request&) {
      with.reply("307 Temporary Redirect", "text/plain", "", "Location: " + thief.origin() + "/mcp\r\n");
    })};
    scripted_login login;
    const http_call_outcome got = call(server, login);
    expect(got.failure.has_value() and thief.seen().empty()) << got.said();
  };
};

task<void> refused_once(loop& l, const scripted_http_server& server, bool ready) {
  scripted_login login;
  login.ready = ready;
  http_channel_options options{.to = server.url()};
  options.login = &login;
  const testing::counted alive;
  http_channel_fixture fixture{l, std::move(options)};
  auto opened = co_await fixture.channel.open(fixture.side);
  ignore(opened, "it may be stopped");
  fixture.modern();
  for (int i = 0; i < 2; ++i) {  // the second one over a connection that is idle
    login.serial = 1;
    const http_call_outcome got = co_await fixture.call("tools/list", "{}");
    static_cast<void>(got);
  }
  auto closed = co_await fixture.channel.close();
  ignore(closed, "it may be stopped");
  fixture.heard.answers.clear();
}

const suite<"http login steps"> steps = [] {
  "a stop at any step of calls that are refused once leaves nothing, with credentials at hand or not"_test = [] {
    const scripted_http_server server{each([](scripted_connection& with, const received_request& asked) {
      if (carries(asked, "token-2")) return with.json(answer_to(asked));
      with.reply(refusal, "text/plain", "");
    })};
    for (const bool ready : {false, true}) testing::every_step([&](loop& l) { return refused_once(l, server, ready); });
  };
};

}  // namespace http_authorization_test

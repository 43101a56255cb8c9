// SPDX-License-Identifier: MIT
// What a host says of a server that cannot be used: the cause, and what to do about it.
#include <filesystem>
#include <fstream>

#include "../../support/hub_fixture.hpp"
#include "../../support/scripted_http_server.hpp"
#include "../../support/temporary_folder.hpp"

namespace start_errors_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::call_outcome;
using testing::contains;
using testing::hub_fixture;
using testing::manual_clock;
using testing::scripted_connection;
using testing::scripted_http_server;
using testing::temporary_folder;
using testing::with_hub;
using state = server_state;

const scripted_http_server* server;  // of the test that runs

void visit(scripted_http_server::script each, testing::hub_body what) {
  const scripted_http_server made{std::move(each)};
  server = &made;
  with_hub(what);
  server = nullptr;
}

// Every request gets this answer.
scripted_http_server::script answers(std::string status, std::string type, std::string body, std::string fields = {}) {
  return [=](scripted_connection& with) {
    while (with.request()) with.reply(status, type, body, fields);
  };
}

server_settings remote(const std::string& name = "r") {
  return {.name = name,
          .transport = http_settings{.url = server->origin() + "/path"},
          .restart = restart_policy::never,
          .origin = "mcp.json:7"};
}

// Not started again, so that its last state is the one that is looked at.
server_settings shell(const hub_fixture& h, const std::string& text) {
  server_settings made = h.shell("a", text);
  made.restart = restart_policy::never;
  made.origin = "mcp.json:7";
  return made;
}

task<server_status> failed(hub_fixture& h, server_settings of) {
  const std::string name = of.name;
  h.add(std::move(of));
  co_return co_await h.until(name, state::failed);
}

task<void> has_all(server_status of, std::vector<std::string> parts) {
  for (const std::string& part : parts)
    expect(contains(of.reason + " | " + of.advice, part)) << part << "is not in" << of.reason << "|" << of.advice;
  co_return;
}

task<void> prints_a_banner(hub_fixture& h) {
  server_settings of = shell(h, "echo 'Welcome to \x1b[1mThing 1.0'; echo 'Usage: thing [options]'; exit 0");
  const server_status got = co_await failed(h, std::move(of));
  expect(contains(got.reason, R"(its stdout begins with "Welcome to \u001b[1mThing 1.0", which is no MCP message)"))
      << got.reason;
  expect(contains(got.reason, "exited with 0") and contains(got.reason, "command and arguments")) << got.reason;
  expect(contains(got.advice, "`hawser logs a`")) << got.advice;
}

task<void> prints_a_prompt_and_waits(hub_fixture& h) {
  for (const char* output : {"printf '>>> '", "echo '>>> help'", "echo '>>> {}'; echo 'more'"}) {
    server_settings of = shell(h, std::string{output} + "; exec sleep 60");
    of.startup_timeout = 500ms;
    const server_status got = co_await failed(h, std::move(of));
    expect(contains(got.reason, "it did not answer within 0.5 s of its start; still waiting for: initialize"))
        << got.reason;
    expect(contains(got.reason, "its stdout begins with \">>> ")) << got.reason;
    auto gone = co_await h.of.remove_server("a");
    expect(gone.has_value());
  }
}

task<void> prints_for_ever(hub_fixture& h) {
  server_settings of = shell(h, "echo 'first line'; while echo 'noise'; do :; done");
  const server_status got = co_await failed(h, std::move(of));
  expect(contains(got.reason, "are no MCP messages; its stdout begins with \"first line\"")) << got.reason;
}

// Lines that are no messages are usual; they are no explanation of the end of a server that speaks MCP.
task<void> logs_to_stdout(hub_fixture& h) {
  server_settings of = shell(h, "echo 'log line'; begin; request; exit 3");
  h.add(std::move(of));
  co_await h.until("a", state::ready);
  const call_outcome got = co_await h.call("a__echo");
  expect(contains(got.said(), "exited with 3") and not contains(got.said(), "stdout")) << got.said();
}

task<void> prints_a_secret(hub_fixture& h) {
  server_settings of = shell(h, R"(printf '%0195d%s\n' 0 "$TOKEN"; echo "Error: bad token $TOKEN" >&2; exit 1)");
  std::get<stdio_settings>(of.transport).env = {{"TOKEN", "s3cret-of-the-test"}};
  const server_status got = co_await failed(h, std::move(of));
  expect(contains(got.reason, "its stdout begins with \"000") and contains(got.reason, "bad token [redacted]"))
      << got.reason;
  expect(not contains(got.reason, "s3c")) << "cut before it was hidden" << got.reason;
}

task<void> prints_its_usage(hub_fixture& h) {
  server_settings of = shell(h, R"(
echo "Error: unknown option '--root'" >&2
echo >&2
echo 'Usage: thing [options]' >&2
i=0; while [ $i -lt 60 ]; do echo "  --option-$i   does something" >&2; i=$((i+1)); done
exit 2)");
  const server_status got = co_await failed(h, std::move(of));
  expect(contains(got.reason, R"(exited with 2; its stderr: "Error: unknown option '--root'")")) << got.reason;
  expect(not contains(got.reason, "--option-")) << got.reason;
}

task<void> hangs_with_an_error(hub_fixture& h) {
  server_settings of = shell(h, "echo 'ERROR: no database' >&2; exec sleep 60");
  of.startup_timeout = 500ms;
  const server_status got = co_await failed(h, std::move(of));
  expect(contains(got.reason, R"(still waiting for: initialize; its stderr: "ERROR: no database")")) << got.reason;
}

task<void> tells_its_phase(hub_fixture& h) {
  h.add(h.shell("first", "exec sleep 60"));
  h.add(h.shell("second", "request; usual; exec sleep 60"));
  h.add(h.shell("third", "serve"));
  const server_status ready = co_await h.until("third", state::ready);
  expect(ready.phase.empty());
  const auto is_in = [&](const char* name, const char* phase) { return h.of.status(name)->phase == phase; };
  for (int i = 0; i < 1000 and not(is_in("first", "initialize") and is_in("second", "tools/list")); ++i) {
    auto turn = co_await sleep_for(5ms);
    expect(turn.has_value());
  }
  expect(h.of.status("first")->phase == "initialize") << h.of.status("first")->phase;
  expect(h.of.status("second")->phase == "tools/list") << h.of.status("second")->phase;
}

task<void> cannot_be_spawned(hub_fixture& h) {
  const temporary_folder folder;
  std::ofstream{folder / "file"} << "x";
  server_settings of = shell(h, "serve");
  std::get<stdio_settings>(of.transport).cwd = folder / "file";
  server_status got = co_await failed(h, of);
  co_await has_all(got, {"working directory \"" + (folder / "file") + "\": Not a directory",
                         R"(correct "command" or "cwd" in its configuration (mcp.json:7))"});
  of.name = "b";
  of.transport = stdio_settings{.command = folder.path};
  got = co_await failed(h, of);
  co_await has_all(got, {"Is a directory", R"(correct "command" in its configuration (mcp.json:7))"});
}

task<void> is_disabled(hub_fixture& h) {
  server_settings of = shell(h, "serve");
  of.enabled = false;
  h.add(std::move(of));
  const std::string says =
      R"(server "a": it is disabled; to enable it, remove "disabled": true or "enabled": false from its configuration (mcp.json:7))";
  auto asked = co_await h.of.ready("a");
  expect(asked.has_error() and asked.error().code == errc::config and asked.error().what == says)
      << (asked ? "" : asked.error().what);
  auto again = h.of.restart("a");
  expect(again.has_error() and contains(again.error().what, "remove \"disabled\": true"));
}

task<void> announces_restarts(hub_fixture& h) {
  server_settings never = shell(h, "exit 1");
  const server_status got = co_await failed(h, std::move(never));
  expect(not contains(got.advice, "restart") and not contains(got.advice, "again")) << got.advice;
  h.add(h.shell("b", "exit 1"));
  const server_status again = co_await h.until("b", state::degraded);
  expect(contains(again.advice, "it is started again in 1.")) << again.advice;
}

task<void> repeats_its_input(hub_fixture& h) {
  using era = protocol_choice::kind;
  for (const era kind : {era::automatic, era::legacy}) {
    server_settings of{.name = "a", .transport = stdio_settings{.command = "cat"}, .restart = restart_policy::never};
    of.protocol.era = kind;
    const server_status got = co_await failed(h, std::move(of));
    expect(contains(got.reason, "it repeats what it is sent, so it is no MCP server: check its command")) << got.reason;
    expect(not contains(got.reason, "-32601") and not contains(got.reason, "no such method")) << got.reason;
    auto gone = co_await h.of.remove_server("a");
    expect(gone.has_value());
  }
}

// A server may use any id, also the one of a request of ours.
task<void> asks_with_our_id(hub_fixture& h) {
  server_settings of = shell(h, R"(request; say '{"jsonrpc":"2.0","id":'"$id"',"method":"ping"}'; IFS= read -r line
answer '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}'; serve)");
  h.add(std::move(of));
  co_await h.until("a", state::ready);
}

task<void> is_no_endpoint(hub_fixture& h) {
  const server_status got = co_await failed(h, remote());
  co_await has_all(got, {"this is no MCP endpoint: check the path of its url, often /mcp"});
}

const suite<"start errors"> tests = [] {
  "CMD-11 of a program that is no MCP server, the first line of its output is quoted"_test = [] {
    with_hub(prints_a_banner);
    with_hub(prints_a_prompt_and_waits);
    with_hub(prints_for_ever);
  };
  "CMD-11 a program that repeats its input is said to be no MCP server"_test = [] {
    with_hub(repeats_its_input);
    with_hub(asks_with_our_id);
    const scripted_http_server::script echo = [](scripted_connection& with) {
      while (const auto asked = with.request()) with.json(asked->body);
    };
    visit(echo, [](hub_fixture& h) -> task<void> {
      const server_status got = co_await failed(h, remote());
      co_await has_all(got, {"it repeats what it is sent, so it is no MCP server"});
    });
  };
  "CMD-11 log lines of an MCP server on its stdout are not blamed for its end"_test = [] { with_hub(logs_to_stdout); };
  "CMD-11 what is quoted of a server's output has no secret in it, nor the beginning of one"_test = [] {
    with_hub(prints_a_secret);
  };
  "CMD-11 the error line is shown, and not the usage text behind it"_test = [] { with_hub(prints_its_usage); };
  "CMD-11 a start that takes too long names what is waited for, and what the server says"_test = [] {
    with_hub(hangs_with_an_error);
    with_hub(tells_its_phase);
  };
  "CMD-11 what cannot be started names the key and the place of its configuration"_test = [] {
    with_hub(cannot_be_spawned);
  };
  "CMD-11 a disabled server says where it is disabled, and how to enable it"_test = [] { with_hub(is_disabled); };
  "CMD-11 a restart is announced only where there will be one"_test = [] { with_hub(announces_restarts); };

  "CMD-11 a web page, 404, 405 and an empty body are no MCP endpoint"_test = [] {
    visit(answers("200 OK", "text/html; charset=utf-8", "<html><title>Shop</title>"), [](hub_fixture& h) -> task<void> {
      const server_status got = co_await failed(h, remote());
      co_await has_all(
          got, {"status 200 and content of type text/html; charset=utf-8: <html><title>Shop</title>; this is no "
                "MCP endpoint: check the path of its url, often /mcp"});
    });
    visit(answers("404 Not Found", "application/json", R"({"detail":"Not Found"})"), [](hub_fixture& h) -> task<void> {
      const server_status got = co_await failed(h, remote());
      co_await has_all(got,
                       {"status 404 and content of type application/json", "check the path of its url, often /mcp"});
    });
    visit(answers("200 OK", "application/json", ""), [](hub_fixture& h) -> task<void> {
      const server_status got = co_await failed(h, remote());
      co_await has_all(
          got, {"status 200 and an empty body; this is no MCP endpoint: check the path of its url, often /mcp"});
    });
    visit(answers("405 Method Not Allowed", "text/plain", ""), is_no_endpoint);
    visit(answers("400 Bad Request", "text/html", "<html>"), is_no_endpoint);
    visit(answers("404 Not Found", "text/html", "<html>"), [](hub_fixture& h) -> task<void> {
      server_settings old = remote();
      std::get<http_settings>(old.transport).type = http_settings::kind::sse;
      const server_status got = co_await failed(h, std::move(old));
      co_await has_all(got, {"status 404", "check the path of its url, often /sse"});
    });
  };

  "CMD-11 a page for people that comes with 401, 403 or 429 does not make it another endpoint"_test = [] {
    for (const char* status : {"403 Forbidden", "429 Too Many Requests", "401 Unauthorized", "451 Unavailable"}) {
      visit(answers(status, "text/html", "<html>no"), [](hub_fixture& h) -> task<void> {
        server_settings own = remote();
        std::get<http_settings>(own.transport).headers = {{"Authorization", "Bearer s3cret-token"}};
        h.add(std::move(own));
        auto asked = co_await h.of.ready("r");
        expect(asked.has_error() and contains(asked.error().what, "and content of type text/html: <html>no"))
            << asked.error().what;
        expect(not contains(asked.error().what, "no MCP endpoint")) << asked.error().what;
      });
    }
  };

  "CMD-11 a redirect that is refused says where it leads, without the query"_test = [] {
    for (const char* to : {"/login?next=hidden", "http://127.0.0.2:9/login?next=hidden"}) {
      visit(answers("302 Found", "text/html", "<html>", std::string{"Location: "} + to + "\r\n"),
            [](hub_fixture& h) -> task<void> {
              const server_status got = co_await failed(h, remote());
              co_await has_all(got, {"redirect", "/login\"", "configure its url"});
              expect(not contains(got.reason, "hidden")) << got.reason;
            });
    }
  };

  "CMD-13 a start that waits because the server is busy says so"_test = [] {
    visit(answers("429 Too Many Requests", "text/html", "<html>", "Retry-After: 1\r\n"),
          [](hub_fixture& h) -> task<void> {
            h.add(remote());
            std::string reason;
            while (h.told_of(host_change::kind::delayed, "r") < 2) {
              const auto now = h.of.status("r");
              if (now->state == state::starting and not now->reason.empty()) reason = now->reason;
              if (now->state == state::failed) break;
              auto turn = co_await sleep_for(5ms);
              expect(turn.has_value());
            }
            expect(reason ==
                   "too many requests: the server answered with status 429; server/discover is sent again in "
                   "1.0 s")
                << reason;
            const server_status got = co_await h.until("r", state::failed);
            co_await has_all(got, {"too many requests", "retry after 1 s"});
            expect(h.told_of(host_change::kind::delayed, "r") == 2_ul);
          });
  };

  "CMD-11 403 without a bearer challenge says that a login does not help, and sends nobody to one"_test = [] {
    for (const char* body : {"go away", R"({"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"go away"}})"}) {
      visit(answers("403 Forbidden", "application/json", body), [](hub_fixture& h) -> task<void> {
        const server_status got = co_await failed(h, remote());
        co_await has_all(got, {"the server refuses access", "go away", "logging in does not help"});
        expect(not contains(got.advice, "hawser auth")) << got.advice;
        server_settings own = remote("own");
        std::get<http_settings>(own.transport).headers = {{"X-Api-Key", "s3cret-key"}};
        const server_status refused = co_await failed(h, std::move(own));
        co_await has_all(refused, {"whether the configured header \"X-Api-Key\" may use it"});
      });
    }
  };

  "CMD-11 401 names the configured header that was refused, and the place of its configuration"_test = [] {
    visit(answers("401 Unauthorized", "text/plain", "who?"), [](hub_fixture& h) -> task<void> {
      server_settings own = remote();
      std::get<http_settings>(own.transport).headers = {{"Authorization", "Bearer s3cret-token"}, {"X-Team", "a"}};
      h.add(std::move(own));
      const server_status got = co_await h.until("r", state::needs_auth);
      co_await has_all(got,
                       {R"(the configured header "Authorization" was refused: the server answered with status 401)",
                        R"(correct "headers" in its configuration (mcp.json:7))"});
      server_settings keyed = remote("keyed");
      std::get<http_settings>(keyed.transport).headers = {{"X-Api-Key", "s3cret-key"}};
      h.add(std::move(keyed));
      const server_status other = co_await h.until("keyed", state::needs_auth);
      co_await has_all(other, {R"(the configured header "X-Api-Key" does not suffice)", "`hawser auth keyed`"});
      server_settings none = remote("none");
      std::get<http_settings>(none.transport).oauth.enabled = false;
      h.add(std::move(none));
      const server_status without = co_await h.until("none", state::needs_auth);
      co_await has_all(without, {R"(put its credentials under "headers" in its configuration (mcp.json:7))"});
    });
  };

  "CMD-11 429 at the start says at once how long to wait, and the next start waits so long"_test = [] {
    visit(answers("429 Too Many Requests", "text/plain", "", "Retry-After: 120\r\n"), [](hub_fixture& h) -> task<void> {
      server_settings of = remote();
      of.restart = restart_policy::with_backoff;
      h.add(std::move(of));
      const server_status got = co_await h.until("r", state::degraded);
      co_await has_all(got, {"too many requests", "status 429", "retry after 120 s", "it is started again in 120.0 s"});
      auto asked = co_await h.of.ready("r");
      expect(asked.has_error() and asked.error().retry_after == std::optional{120s});
    });
    visit(answers("429 Too Many Requests", "text/plain", ""), [](hub_fixture& h) -> task<void> {
      const server_status got = co_await failed(h, remote());
      co_await has_all(got,
                       {"too many requests", "wait before the next request: the server does not say for how long"});
    });
  };

  "CMD-11 the beginning of a body is quoted without secrets"_test = [] {
    visit(answers("200 OK", "text/html", std::string(190, 'x') + "s3cret-of-the-test and so on"),
          [](hub_fixture& h) -> task<void> {
            server_settings own = remote();
            std::get<http_settings>(own.transport).headers = {{"X-Api-Key", "s3cret-of-the-test"}};
            const server_status got = co_await failed(h, std::move(own));
            expect(contains(got.reason, "xxx") and not contains(got.reason, "s3c")) << got.reason;
          });
  };
};

}  // namespace start_errors_test

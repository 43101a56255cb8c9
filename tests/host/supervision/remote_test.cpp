// SPDX-License-Identifier: MIT
// Servers on the network under supervision: eras, logins, sessions that are forgotten, networks that fail.
#include <atomic>

#include "../../support/hub_fixture.hpp"
#include "../../support/scripted_http_server.hpp"

namespace remote_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::call_outcome;
using testing::contains;
using testing::hub_fixture;
using testing::received_request;
using testing::scripted_connection;
using testing::scripted_http_server;
using testing::with_hub;
using state = server_state;

const scripted_http_server* server;  // of the test that runs

std::string result_of(const received_request& asked, std::string_view result) {
  return R"({"jsonrpc":"2.0","id":)" + asked.id() + R"(,"result":)" + std::string{result} + '}';
}

constexpr std::string_view one_tool = R"({"tools":[{"name":"echo","inputSchema":{"type":"object"}}]})";

// A legacy server that knows sessions; a call is answered by "ok".
bool legacy(scripted_connection& with, const received_request& asked, std::string_view session) {
  if (asked.is("GET")) {
    with.reply("405 Method Not Allowed", "text/plain", "");
  } else if (asked.is("DELETE") || asked.asks("notifications/initialized")) {
    with.reply("202 Accepted", "text/plain", "");
  } else if (asked.asks("server/discover")) {
    with.reply("400 Bad Request", "text/plain", "what?");
  } else if (asked.asks("initialize")) {
    with.reply("200 OK", "application/json",
               result_of(asked, R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{}})"),
               session.empty() ? std::string{} : "Mcp-Session-Id: " + std::string{session} + "\r\n");
  } else if (asked.asks("tools/list")) {
    with.json(result_of(asked, one_tool));
  } else if (asked.asks("tools/call")) {
    with.json(result_of(asked, R"({"content":[{"type":"text","text":"ok"}]})"));
  } else if (asked.asks("ping")) {
    with.json(result_of(asked, "{}"));
  } else {
    return false;
  }
  return true;
}

server_settings remote(const std::string& name = "r") {
  server_settings made{.name = name, .transport = http_settings{.url = server->origin() + "/mcp"}};
  made.restarts.first_pause = 10ms;
  return made;
}

void visit(scripted_http_server::script each, testing::hub_body what) {
  const scripted_http_server made{std::move(each)};
  server = &made;
  with_hub(what);
  server = nullptr;
}

const suite<"remote"> tests = [] {
  "a server that does not know the modern era is spoken to in its own, and called"_test = [] {
    visit(
        [](scripted_connection& with) {
          while (auto asked = with.request()) legacy(with, *asked, "s");
        },
        [](hub_fixture& h) -> task<void> {
          h.add(remote());
          const server_status ready = co_await h.until("r", state::ready);
          expect(ready.negotiated.revision == "2025-11-25");
          const call_outcome got = co_await h.call("r__echo");
          expect(got.text == "ok") << got.said();
        });
  };

  "a modern server is spoken to without a handshake; marked arguments stand in header fields, bad marks drop a tool"_test = [] {
    static std::atomic<int> calls;
    calls = 0;
    visit(
        [](scripted_connection& with) {
          while (auto asked = with.request()) {
            if (asked->asks("server/discover")) {
              with.json(result_of(
                  *asked,
                  R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}})"));
            } else if (asked->asks("tools/list")) {
              with.json(result_of(
                  *asked,
                  R"({"resultType":"complete","tools":[)"
                  R"({"name":"echo","inputSchema":{"type":"object","properties":{"city":{"type":"string","x-mcp-header":"City"}}}},)"
                  R"({"name":"bad","inputSchema":{"type":"object","properties":{"n":{"type":"number","x-mcp-header":"N"}}}}]})"));
            } else {
              ++calls;
              expect(asked->field("Mcp-Param-City") == "=?base64?S8O2bG4=?=") << asked->head;
              expect(asked->field("Mcp-Name") == "echo" && asked->field("Mcp-Method") == "tools/call");
              with.json(result_of(*asked, R"({"resultType":"complete","content":[{"type":"text","text":"ok"}]})"));
            }
          }
        },
        [](hub_fixture& h) -> task<void> {
          h.add(remote());
          co_await h.until("r", state::ready);
          expect(h.of.tools()->size() == 1_ul);
          const call_outcome got = co_await h.call("r__echo", R"({"city":"K\u00f6ln"})");
          expect(got.text == "ok") << got.said();
        });
    expect(calls.load() == 1_i);
  };

  "401 is no verdict on the era: the server needs a login, and says what to do"_test = [] {
    visit(
        [](scripted_connection& with) {
          while (with.request()) with.reply("401 Unauthorized", "text/plain", "");
        },
        [](hub_fixture& h) -> task<void> {
          h.add(remote());
          const server_status now = co_await h.until("r", state::needs_auth);
          expect(contains(now.reason, "wants a login")) << now.reason;
          expect(contains(now.advice, "`hawser auth r`")) << now.advice;
          // Whose login is configured is not sent to a browser.
          server_settings own = remote("own");
          std::get<http_settings>(own.transport).headers.emplace("authorization", "Bearer of-my-own");
          h.add(std::move(own));
          const server_status refused = co_await h.until("own", state::needs_auth);
          expect(contains(refused.reason, "401")) << refused.reason;
          expect(contains(refused.advice, "headers")) << refused.advice;
        });
  };

  "5xx is no verdict on the era: the next try asks for the modern one again"_test = [] {
    static std::atomic<int> probes;
    probes = 0;
    visit(
        [](scripted_connection& with) {
          while (auto asked = with.request()) {
            if (asked->asks("server/discover") && probes++ == 0) {
              with.reply("503 Busy", "text/plain", "");
            } else {
              legacy(with, *asked, "");
            }
          }
        },
        [](hub_fixture& h) -> task<void> {
          h.add(remote());
          co_await h.until("r", state::ready);
        });
    expect(probes.load() == 2_i);
  };

  "C16 a forgotten session is begun anew at once, the refused call made again, the tools listed again"_test = [] {
    static std::atomic<int> sessions;
    static std::atomic<int> lists;
    sessions = lists = 0;
    visit(
        [](scripted_connection& with) {
          while (auto asked = with.request()) {
            const std::string current = "s" + std::to_string(sessions.load());
            if (asked->asks("initialize")) {
              legacy(with, *asked, "s" + std::to_string(++sessions));
            } else if (asked->asks("tools/call") && sessions == 1) {
              with.reply("404 Not Found", "application/json",
                         R"({"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}})");
            } else {
              lists += asked->asks("tools/list") ? 1 : 0;
              legacy(with, *asked, "");
            }
          }
        },
        [](hub_fixture& h) -> task<void> {
          h.add(remote());
          co_await h.until("r", state::ready);
          const call_outcome got = co_await h.call("r__echo");
          expect(got.text == "ok") << got.said();
        });
    expect(sessions.load() == 2_i and lists.load() == 2_i);
  };

  "SEC-1 a call that is redirected after its tool became a writer is not sent again"_test = [] {
    static std::atomic<scripted_connection*> stream;
    static std::atomic<int> lists;
    static std::atomic<int> again;
    for (const bool stays_reader : {false, true}) {
      static bool reader;
      reader = stays_reader;
      stream = nullptr;
      lists = again = 0;
      visit(
          [](scripted_connection& with) {
            while (auto asked = with.request()) {
              if (asked->is("GET")) {
                with.events();
                stream = &with;
                with.hang();
                return;
              }
              if (asked->asks("initialize")) {
                with.json(result_of(
                    *asked,
                    R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{}})"));
              } else if (asked->asks("tools/list")) {
                const bool reads = ++lists == 1 || reader;
                with.json(result_of(*asked, R"({"tools":[{"name":"echo","inputSchema":{"type":"object"},)"
                                            R"("annotations":{"readOnlyHint":)" +
                                                std::string{reads ? "true" : "false"} + "}}]}"));
              } else if (asked->asks("tools/call") && asked->head.find("/again") == std::string::npos) {
                for (int i = 0; i < 1000 && stream == nullptr; ++i) std::this_thread::sleep_for(5ms);
                if (lists < 2)
                  stream.load()->say("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n");
                for (int i = 0; i < 1000 && lists < 2; ++i) std::this_thread::sleep_for(5ms);
                std::this_thread::sleep_for(100ms);  // so that the list is usually there before the redirect
                with.reply("307 Temporary Redirect", "text/plain", "", "Location: /again\r\n");
              } else {
                if (asked->asks("tools/call")) ++again;
                legacy(with, *asked, "");
              }
            }
          },
          [](hub_fixture& h) -> task<void> {
            server_settings read_only = remote();
            read_only.access = tool_access::declared_read_only;
            h.add(std::move(read_only));
            co_await h.until("r", state::ready);
            auto got = co_await h.of.call("r__echo", "{}");
            expect(got.has_value() == reader) << (got ? got->text() : got.error().what);
            if (got) co_return;
            expect(got.error().code == errc::tool_unknown && got.error().executed == execution::no);
            expect(got.error().what.find(R"("access")") != std::string::npos) << got.error().what;
          });
      expect(lists.load() >= 2_i and again.load() == (stays_reader ? 1 : 0)) << again.load();
    }
  };

  "C17 a server that forgets every session is not begun anew for ever, and the call ends"_test = [] {
    static std::atomic<int> sessions;
    sessions = 0;
    visit(
        [](scripted_connection& with) {
          while (auto asked = with.request()) {
            if (asked->asks("initialize")) {
              legacy(with, *asked, "s" + std::to_string(++sessions));
            } else if (asked->asks("tools/call")) {
              with.reply("404 Not Found", "text/plain", "");
            } else {
              legacy(with, *asked, "");
            }
          }
        },
        [](hub_fixture& h) -> task<void> {
          h.add(remote());
          co_await h.until("r", state::ready);
          const call_outcome got = co_await h.call("r__echo");
          expect(got.failed_with(errc::closed, execution::no)) << got.said();
        });
    expect(sessions.load() == 2_i);
  };

  "C01 C26 C27 a server whose network went away is not shown as ready, and is back when it is back"_test = [] {
    static std::atomic<bool> down;
    down = false;
    visit(
        [](scripted_connection& with) {
          while (auto asked = with.request()) {
            if (down) return with.reset();
            legacy(with, *asked, "");
          }
        },
        [](hub_fixture& h) -> task<void> {
          h.add(remote());
          co_await h.until("r", state::ready);
          down = true;
          const call_outcome lost = co_await h.call("r__echo");
          expect(lost.failure.has_value() && lost.ends == 1) << lost.said();
          co_await h.until("r", state::degraded);
          down = false;
          co_await h.until("r", state::ready);
          const call_outcome got = co_await h.call("r__echo");
          expect(got.text == "ok") << got.said();
        });
  };

  "a header that cannot be sent, and an address that is none, fail with the reason and connect to nobody"_test = [] {
    visit([](scripted_connection&) {},
          [](hub_fixture& h) -> task<void> {
            server_settings split = remote("split");
            std::get<http_settings>(split.transport).headers = {{"X-A", "b\r\nEvil: yes"}};
            h.add(split);
            const server_status refused = co_await h.until("split", state::failed);
            expect(contains(refused.reason, "X-A")) << refused.reason;
            server_settings nowhere = remote("nowhere");
            std::get<http_settings>(nowhere.transport).url = "http://0x7f.1/mcp";
            h.add(nowhere);
            const server_status wrong = co_await h.until("nowhere", state::failed);
            expect(contains(wrong.reason, "0x7f.1")) << wrong.reason;
            expect(server->connections() == 0_i);
          });
  };

  "a host that may not use the network connects to nobody, and says so"_test = [] {
    const scripted_http_server made{[](scripted_connection&) {}};
    server = &made;
    with_hub(
        [](hub_fixture& h) -> task<void> {
          h.add(remote());
          const server_status refused = co_await h.until("r", state::failed);
          expect(contains(refused.reason, "network")) << refused.reason;
        },
        {}, {.allow_network = false});
    expect(made.connections() == 0_i);
  };
};

}  // namespace remote_test

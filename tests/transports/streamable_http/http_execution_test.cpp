// SPDX-License-Identifier: MIT
// What the error of a call over HTTP says about its execution, and how often a call is sent.
#include <atomic>

#include "../../support/http_channel_fixture.hpp"

namespace http_execution_test {

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

using responding = std::function<void(scripted_connection&, const received_request&)>;

constexpr const char* modern_params =
    R"({"name":"t","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})";

enum class era : std::uint8_t { legacy, modern };

struct call_result {
  http_call_outcome outcome{};
  std::size_t sent = 0;  // how often the server received the request
};

// One request to a server that gives out no session id.
call_result result_of(era which, const std::string& method, const responding& respond) {
  const scripted_http_server server{[&](scripted_connection& with) {
    while (auto asked = with.request()) {
      if (!greets(with, *asked)) respond(with, *asked);
    }
  }};
  call_result got;
  with_http_channel(server, [&](http_channel_fixture& fixture) -> task<void> {
    if (which == era::modern) {
      fixture.modern();
    } else {
      const http_call_outcome greeted = co_await fixture.initialize();
      expect(!greeted.failure.has_value()) << greeted.said();
    }
    const call_options bounded{.idle_timeout = 10s, .hard_timeout = 10s};
    got.outcome = co_await fixture.call(method, which == era::modern ? modern_params : R"({"name":"t"})", bounded);
  });
  got.sent = server.asked(method);
  return got;
}

struct refusal {
  const char* status;
  execution executed;
  const char* fields = "";
};

constexpr refusal refusals[] = {
    {"401 Unauthorized", execution::no},
    {"403 Forbidden", execution::no, "WWW-Authenticate: Basic realm=\"a, b\", bearer error=\"insufficient_scope\"\r\n"},
    {"405 Method Not Allowed", execution::no},
    {"406 Not Acceptable", execution::no},
    {"411 Length Required", execution::no},
    {"413 Content Too Large", execution::no},
    {"414 URI Too Long", execution::no},
    {"415 Unsupported Media Type", execution::no},
    {"421 Misdirected Request", execution::no},
    {"429 Too Many Requests", execution::no},
    {"431 Request Header Fields Too Large", execution::no},
    {"300 Multiple Choices", execution::unknown},
    {"400 Bad Request", execution::unknown},
    {"402 Payment Required", execution::unknown},
    {"403 Forbidden", execution::unknown},
    {"403 Forbidden", execution::unknown, "WWW-Authenticate: Basic realm=\"Bearer\"\r\n"},
    {"404 Not Found", execution::unknown},
    {"408 Request Timeout", execution::unknown},
    {"409 Conflict", execution::unknown},
    {"410 Gone", execution::unknown},
    {"422 Unprocessable Content", execution::unknown},
    {"425 Too Early", execution::unknown},
    {"499 Other", execution::unknown},
    {"500 Internal Server Error", execution::unknown},
    {"502 Bad Gateway", execution::unknown},
    {"503 Service Unavailable", execution::unknown},
    {"504 Gateway Timeout", execution::unknown},
};

const suite<"http execution"> tests = [] {
  "CLM-2 a call counts as not executed only by a status that proves it"_test = [] {
    constexpr const char* rpc_error = R"({"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}})";
    for (const refusal& one : refusals) {
      for (const era which : {era::legacy, era::modern}) {
        for (const std::string body : {"", rpc_error}) {
          const call_result got =
              result_of(which, "tools/call", [&](scripted_connection& with, const received_request&) {
                with.reply(one.status, body.empty() ? "text/plain" : "application/json", body, one.fields);
              });
          expect(got.outcome.failure.has_value() && got.outcome.failure->executed == one.executed)
              << one.status << one.fields << body << got.outcome.said();
          expect(got.sent == 1_ul) << one.status;
        }
      }
    }
  };

  "CLM-2 404 is an unknown session only in answer to a request that named one"_test = [] {
    for (const bool before_negotiation : {true, false}) {
      const scripted_http_server server{[](scripted_connection& with) {
        while (auto asked = with.request()) {
          if (!greets(with, *asked, "Mcp-Session-Id: s\r\n")) with.reply("404 Not Found", "text/plain", "");
        }
      }};
      with_http_channel(server, [&](http_channel_fixture& fixture) -> task<void> {
        // The server gives out a session id; the request that follows does not carry it.
        const http_call_outcome greeted = co_await fixture.call("initialize", "{}");
        expect(!greeted.failure.has_value()) << greeted.said();
        if (!before_negotiation) fixture.modern();
        const http_call_outcome got =
            co_await fixture.call("tools/call", before_negotiation ? R"({"name":"t"})" : modern_params);
        expect(got.failed_with(errc::protocol, execution::unknown)) << got.said();
        expect(fixture.heard.closed.empty());
      });
    }
  };

  "CLM-2 a call is not sent again after 429 or 503; its error carries retry_after"_test = [] {
    struct example {
      const char* value;
      std::optional<std::chrono::seconds> wait;
    };
    const example examples[] = {{"0", 0s},
                                {"7", 7s},
                                {"86400", 86400s},
                                {"99999999999999999999", 2147483647s},
                                {"Sun, 06 Nov 1994 08:49:37 GMT", 0s},
                                {"soon", std::nullopt},
                                {"-5", std::nullopt},
                                {"", std::nullopt}};
    for (const char* status : {"429 Too Many Requests", "503 Service Unavailable"}) {
      for (const example& one : examples) {
        for (const bool says_why : {false, true}) {
          const call_result got =
              result_of(era::modern, "tools/call", [&](scripted_connection& with, const received_request&) {
                const std::string fields = "Retry-After: " + std::string{one.value} + "\r\n";
                if (!says_why) return with.reply(status, "text/plain", "", fields);
                with.reply(status, "application/json", R"({"jsonrpc":"2.0","error":{"code":-32000,"message":"busy"}})",
                           fields);
              });
          expect(got.sent == 1_ul) << status << one.value;
          expect(fatal(got.outcome.failure.has_value())) << status << one.value;
          expect(got.outcome.failure->retry_after == one.wait) << status << one.value;
          const std::string text = "retry after " + std::to_string(one.wait.value_or(0s).count()) + " s";
          expect(got.outcome.mentions(text) == one.wait.has_value()) << got.outcome.said();
        }
      }
    }
    for (const char* method : {"resources/read", "prompts/get", "completion/complete"}) {
      const call_result got = result_of(era::legacy, method, [](scripted_connection& with, const received_request&) {
        with.reply("503 Service Unavailable", "text/plain", "", "Retry-After: 0\r\n");
      });
      expect(got.sent == 1_ul && got.outcome.failed_with(errc::io, execution::unknown)) << method;
    }
  };

  "CLM-2 a call follows one redirect, a list three"_test = [] {
    for (const int hops : {1, 2}) {
      for (const char* method : {"tools/call", "tools/list"}) {
        std::atomic<int> redirected = 0;
        const call_result got =
            result_of(era::modern, method, [&](scripted_connection& with, const received_request& asked) {
              if (redirected == hops) return with.json(answer_to(asked));
              with.reply(++redirected % 2 == 0 ? "307 Temporary Redirect" : "308 Permanent Redirect", "text/plain", "",
                         "Location: /hop\r\n");
            });
        const bool refused = hops == 2 && method == std::string_view{"tools/call"};
        expect(got.outcome.failure.has_value() == refused) << method << hops << got.outcome.said();
        expect(got.sent == static_cast<std::size_t>(refused ? 2 : hops + 1)) << method << hops;
        if (refused) expect(got.outcome.mentions("too often")) << got.outcome.said();
      }
    }
  };

  "CLM-3 an error with code -32600 or -32601 does not prove that a call was not executed"_test = [] {
    struct example {
      int code;
      execution legacy;
      execution modern;
    };
    constexpr execution no = execution::no;
    constexpr execution unknown = execution::unknown;
    for (const example& one :
         {example{-32600, unknown, unknown}, example{-32601, unknown, unknown}, example{-32602, unknown, unknown},
          example{-32603, unknown, unknown}, example{-32020, unknown, no}, example{-32021, unknown, no},
          example{-32022, unknown, no}}) {
      for (const char* status : {"200 OK", "400 Bad Request", "404 Not Found", "500 Internal Server Error"}) {
        for (const bool names_request : {true, false}) {
          for (const era which : {era::legacy, era::modern}) {
            const call_result got =
                result_of(which, "tools/call", [&](scripted_connection& with, const received_request& asked) {
                  with.reply(status, "application/json",
                             R"({"jsonrpc":"2.0","id":)" + (names_request ? asked.id() : "null") +
                                 R"(,"error":{"code":)" + std::to_string(one.code) + R"(,"message":"no"}})");
                });
            const execution expected = which == era::modern ? one.modern : one.legacy;
            expect(got.outcome.failed_with(errc::remote, expected)) << one.code << status << got.outcome.said();
          }
        }
      }
    }
  };

  "CLM-3 a parse error that names the call does not prove that it was not executed"_test = [] {
    for (const char* status : {"200 OK", "400 Bad Request", "500 Internal Server Error"}) {
      for (const era which : {era::legacy, era::modern}) {
        for (const std::string id : {"ID", "\"ID\"", "null", ""}) {
          const call_result got =
              result_of(which, "tools/call", [&](scripted_connection& with, const received_request& asked) {
                std::string named = id.empty() ? id : R"("id":)" + id + ',';
                if (const std::size_t at = named.find("ID"); at != std::string::npos) named.replace(at, 2, asked.id());
                with.reply(status, "application/json",
                           R"({"jsonrpc":"2.0",)" + named + R"("error":{"code":-32700,"message":"no"}})");
              });
          const execution expected = id == "null" ? execution::no : execution::unknown;
          expect(got.outcome.failed_with(errc::remote, expected)) << status << id << got.outcome.said();
        }
      }
    }
  };

  "CLM-5 the error of another request, or one that is not of JSON-RPC, does not prove that a call was not executed"_test =
      [] {
        for (const char* body :
             {R"({"jsonrpc":"2.0","id":987654321,"error":{"code":-32700,"message":"m"}})",
              R"({"jsonrpc":"2.0","id":"other","error":{"code":-32700,"message":"m"}})",
              R"({"detail":"upstream","error":{"code":-32700,"message":"m"}})",
              R"({"jsonrpc":"2.0","id":null,"error":{"code":-32000,"code":-32700,"message":"m"}})"}) {
          for (const char* status : {"200 OK", "400 Bad Request", "502 Bad Gateway"}) {
            const call_result got =
                result_of(era::legacy, "tools/call", [&](scripted_connection& with, const received_request&) {
                  with.reply(status, "application/json", body);
                });
            expect(got.outcome.failure.has_value() && got.outcome.failure->executed == execution::unknown)
                << status << body << got.outcome.said();
          }
        }
      };

  "CLM-4 a body that is no answer ends the call at once with an error"_test = [] {
    for (const std::string body : {R"({"id":ID})", R"({"id":"ID"})", R"({"id":ID,"level":"info"})", R"( {"id" : ID} )",
                                   R"([{"id":ID}])", R"({"jsonrpc":"2.0","id":ID})", "{}", "[]", "ID"}) {
      const scripted_http_server server{[&](scripted_connection& with) {
        while (auto asked = with.request()) {
          if (greets(with, *asked)) continue;
          std::string text = body;
          if (const std::size_t at = text.find("ID"); at != std::string::npos) text.replace(at, 2, asked->id());
          with.json(asked->body.find("\"warm\"") != std::string::npos ? answer_to(*asked) : text);
        }
      }};
      with_http_channel(server, [&](http_channel_fixture& fixture) -> task<void> {
        const http_call_outcome greeted = co_await fixture.initialize(protocol::revision::v2025_03_26);
        expect(!greeted.failure.has_value()) << greeted.said();
        const call_options bounded{.idle_timeout = 3s, .hard_timeout = 3s};
        for (const bool idle_connection : {false, true}) {
          if (idle_connection) {
            const http_call_outcome warm = co_await fixture.call("tools/call", R"({"name":"warm"})", bounded);
            expect(!warm.failure.has_value()) << warm.said();
          }
          const http_call_outcome got = co_await fixture.call("tools/call", R"({"name":"t"})", bounded);
          expect(got.failed_with(errc::protocol, execution::unknown)) << body << got.said();
        }
      });
    }
  };

  "CLM-4 an event that is no answer leaves the stream to the answer that follows"_test = [] {
    const call_result got =
        result_of(era::modern, "tools/call", [](scripted_connection& with, const received_request& asked) {
          with.reply("200 OK", "text/event-stream",
                     "data: {\"id\":" + asked.id() + "}\n\ndata: " + answer_to(asked) + "\n\n");
        });
    expect(got.outcome.result == R"({"ok":true})") << got.outcome.said();
    const call_result never =
        result_of(era::modern, "tools/call", [](scripted_connection& with, const received_request& asked) {
          with.reply("200 OK", "text/event-stream", "data: {\"id\":" + asked.id() + "}\n\n");
        });
    expect(never.outcome.failed_with(errc::closed, execution::unknown)) << never.outcome.said();
  };
};

}  // namespace http_execution_test

// SPDX-License-Identifier: MIT
// What the error of a call over HTTP says about its execution.
#include "../support/web_house.hpp"

namespace http_execution_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::greets;
using testing::web_house;
using testing::web_outcome;
using testing::web_peer;
using testing::web_request;
using testing::web_script;
using testing::with_web;

using responding = std::function<void(web_peer&, const web_request&)>;

constexpr const char* modern_params =
    R"({"name":"t","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})";

enum class era : std::uint8_t { legacy, modern };

struct call_result {
  web_outcome outcome{};
  std::size_t sent = 0;  // how often the server received the request
};

// One request to a server that gives out no session id.
call_result result_of(era which, const std::string& method, const responding& respond) {
  const web_script server{[&](web_peer& with) {
    while (auto asked = with.request()) {
      if (!greets(with, *asked)) respond(with, *asked);
    }
  }};
  call_result got;
  with_web(server, [&](web_house& house) -> task<void> {
    if (which == era::modern) {
      house.modern();
    } else {
      const web_outcome greeted = co_await house.initialize();
      expect(!greeted.failure.has_value()) << greeted.said();
    }
    const call_options bounded{.idle_timeout = 10s, .hard_timeout = 10s};
    got.outcome = co_await house.call(method, which == era::modern ? modern_params : R"({"name":"t"})", bounded);
  });
  got.sent = server.asked(method);
  return got;
}

const suite<"http execution"> tests = [] {
  "CLM-3 an error with code -32600 or -32601 does not prove that a call was not executed"_test = [] {
    struct example {
      int code;
      execution legacy;
      execution modern;
    };
    constexpr execution no = execution::no;
    constexpr execution unknown = execution::unknown;
    for (const example& one :
         {example{-32700, no, no}, example{-32600, unknown, unknown}, example{-32601, unknown, unknown},
          example{-32602, unknown, unknown}, example{-32603, unknown, unknown}, example{-32020, unknown, no},
          example{-32021, unknown, no}, example{-32022, unknown, no}}) {
      for (const char* status : {"200 OK", "400 Bad Request", "404 Not Found", "500 Internal Server Error"}) {
        for (const bool names_request : {true, false}) {
          for (const era which : {era::legacy, era::modern}) {
            const call_result got = result_of(which, "tools/call", [&](web_peer& with, const web_request& asked) {
              with.reply(status, "application/json",
                         R"({"jsonrpc":"2.0","id":)" + (names_request ? asked.id() : "null") + R"(,"error":{"code":)" +
                             std::to_string(one.code) + R"(,"message":"no"}})");
            });
            const execution expected = which == era::modern ? one.modern : one.legacy;
            expect(got.outcome.failed_with(errc::remote, expected)) << one.code << status << got.outcome.said();
          }
        }
      }
    }
  };
};

}  // namespace http_execution_test

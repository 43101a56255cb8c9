// SPDX-License-Identifier: MIT
// Examples of the TypeScript SDK that are peculiar in one way each: a server that closes its stream in the middle of a
// call and is polled for the rest, one that answers in JSON only, and one that knows no sessions.
#include "../support/interop_fixture.hpp"

namespace http_examples_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::interop_fixture;
namespace interop = testing::interop;
using kind = host_change::kind;

// The stream closes after two seconds; the rest comes on another one, which is asked for by the id of the last event.
task<void> is_polled(interop_fixture& fixture) {
  expect(fixture.of("polling").negotiated.revision == "2025-11-25");
  const std::string done = co_await fixture.call("polling__long-task");
  expect(done == "Long task completed successfully!") << done;
  expect(fixture.told(kind::log_message, "polling", "25%") == 1_ul);
  expect(fixture.told(kind::log_message, "polling", "75%") == 1_ul) << "what was said while nobody was connected";
  expect(fixture.told(kind::log_message, "polling", "100%") == 1_ul);
  expect(fixture.sent("polling", R"("method":"tools/call")") == 1_ul) << "it is not called twice";
}

task<void> answers_in_json(interop_fixture& fixture) {
  expect(fixture.of("json").negotiated.revision == "2025-11-25" and fixture.of("json").tools == 2_ul);
  const std::string greeting = co_await fixture.call("json__greet", R"({"name":"Ada"})");
  expect(greeting == "Hello, Ada!") << greeting;
  const std::string slow = co_await fixture.call("json__multi-greet", R"({"name":"Ada"})");
  expect(slow == "Good morning, Ada!") << slow;
}

task<void> knows_no_sessions(interop_fixture& fixture) {
  expect(fixture.of("stateless").negotiated.revision == "2025-11-25" and fixture.of("stateless").tools == 1_ul);
  const std::string done =
      co_await fixture.call("stateless__start-notification-stream", R"({"interval":10,"count":3})");
  expect(done == "Started sending periodic notifications every 10ms") << done;
  expect(fixture.told(kind::log_message, "stateless") == 0_ul) << "there is no stream on which it could say something";
  auto read = co_await fixture.at().read_resource("stateless", "https://example.com/greetings/default");
  expect(read.has_value() and read->text().find("Hello, world!") != std::string_view::npos);
  auto prompt = co_await fixture.at().get_prompt("stateless", "greeting-template", R"({"name":"Ada"})");
  expect(prompt.has_value() and prompt->text().find("Please greet Ada") != std::string_view::npos);
}

const suite<"interop http: examples"> tests = [] {
  interop_fixture fixture{{{.name = "polling", .script = interop::polling_example, .path = "/mcp"},
                           {.name = "json", .script = interop::json_example, .path = "/mcp"},
                           {.name = "stateless", .script = interop::stateless_example, .path = "/mcp"}}};
  "a call whose stream the server closes is answered on the next one"_test = [&] { fixture.run(is_polled); };
  "a server that answers in JSON only is a server"_test = [&] { fixture.run(answers_in_json); };
  "a server without sessions and without a stream of its own is a server"_test = [&] {
    fixture.run(knows_no_sessions);
  };
  "closing them leaves nothing behind"_test = [&] { fixture.stop(); };
};

}  // namespace http_examples_test

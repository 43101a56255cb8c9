// SPDX-License-Identifier: MIT
// server-everything over the network: Streamable HTTP of the legacy era, where what the server says by itself comes on
// a stream of its own, and the HTTP+SSE transport of 2024-11-05 before it. The same claims hold for both.
#include <chrono>

#include "../../runtime/async/scope.hpp"
#include "../support/call_outcome.hpp"
#include "../support/contains.hpp"
#include "../support/interop_fixture.hpp"

namespace http_everything_test {

using namespace hawser;
using testing::call_outcome;
using testing::contains;
using testing::interop_fixture;
namespace interop = testing::interop;
namespace json = boost::json;
using action = elicitation_answer::action;
using kind = host_change::kind;

constexpr const char* dynamic_text = "demo://resource/dynamic/text/1";

task<void> agrees(interop_fixture& fixture) {
  const server_status now = fixture.of("remote");
  expect(now.transport == "http" and now.state == server_state::ready);
  expect(now.negotiated.revision == "2025-11-25") << now.negotiated.revision;
  expect(now.negotiated.server.name == "mcp-servers/everything") << now.negotiated.server.name;
  expect(fixture.sent("remote", R"("method":"initialize")") == 1_ul);
  const auto all_tools = [&] { return fixture.of("remote").tools == 17; };
  const bool grew = co_await fixture.until(all_tools);
  expect(grew) << "its changes are heard: " << fixture.of("remote").tools;
}

task<void> answers_calls(interop_fixture& fixture) {
  const std::string echo = co_await fixture.call("remote__echo", R"({"message":"grüß dich"})");
  expect(echo == "Echo: grüß dich") << echo;
  auto bad = co_await fixture.at().call("remote__get-sum", R"({"a":"one"})");
  expect(fatal(bad.has_value()));
  expect(bad->is_error() and contains(bad->text(), "Input validation error")) << bad->text();
  auto missing = co_await fixture.at().read_resource("remote", "demo://nope");
  expect(missing.has_error() and missing.error().code == errc::remote and missing.error().native == -32602_i);
}

task<void> answers_many(interop_fixture& fixture) {
  scope calls{co_await this_context()};
  std::vector<call_outcome> answers(20);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    // The first ones take long: the others do not wait for them.
    std::string arguments = i < 4 ? R"({"duration":1,"steps":2})" : R"({"message":")" + std::to_string(i) + R"("})";
    std::string tool = i < 4 ? "remote__trigger-long-running-operation" : "remote__echo";
    calls.spawn(record_call(fixture.at(), answers[i], std::move(tool), std::move(arguments), {}));
  }
  co_await calls.join();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const std::string said = answers[i].said();
    expect(i < 4 ? contains(said, "operation completed") : said == "Echo: " + std::to_string(i)) << i << said;
    if (i >= 4) expect(answers[i].at < answers[0].at) << i << "waited for a slow one";
  }
}

task<void> progresses(interop_fixture& fixture) {
  std::vector<double> steps;
  request_options settings;
  settings.on_progress = [&](const progress_update& update) { steps.push_back(update.progress); };
  auto answer = co_await fixture.at().call("remote__trigger-long-running-operation", R"({"duration":0.4,"steps":4})",
                                           std::move(settings));
  expect(fatal(answer.has_value()));
  expect(contains(answer->text(), "Long running operation completed")) << answer->text();
  expect((steps == std::vector<double>{1, 2, 3, 4}));
}

task<void> is_cancelled(interop_fixture& fixture) {
  std::stop_source enough;
  request_options settings;
  settings.on_progress = [&](const progress_update&) { enough.request_stop(); };
  settings.stop = enough.get_token();
  auto answer = co_await fixture.at().call("remote__trigger-long-running-operation", R"({"duration":2,"steps":20})",
                                           std::move(settings));
  expect(answer.has_error() and answer.error().code == errc::cancelled);
  const std::string echo = co_await fixture.call("remote__echo", R"({"message":"still here"})");
  expect(echo == "Echo: still here") << echo;
}

task<void> asks(interop_fixture& fixture) {
  fixture.user.form = {.what = action::accept, .content = {{"name", "Ada"}, {"check", true}, {"integer", 7}}};
  const std::string form = co_await fixture.call("remote__trigger-elicitation-request");
  expect(contains(form, "- Name: Ada") and contains(form, R"("number": 3.14)")) << form;
  fixture.user.sample = json::object{{"role", "assistant"},
                                     {"content", {{"type", "text"}, {"text", "an answer"}}},
                                     {"model", "a model of the test"},
                                     {"stopReason", "endTurn"}};
  const std::string sample =
      co_await fixture.call("remote__trigger-sampling-request", R"({"prompt":"say","maxTokens":50})");
  expect(contains(sample, R"("text": "an answer")")) << sample;
  const std::string roots = co_await fixture.call("remote__get-roots-list");
  expect(contains(roots, "URI: file:///tmp/one")) << roots;
}

task<void> tells_updates(interop_fixture& fixture) {
  auto subscribed = co_await fixture.at().subscribe("remote", dynamic_text);
  expect(subscribed.has_value());
  const std::string on = co_await fixture.call("remote__toggle-subscriber-updates");
  const auto told = [&] { return fixture.told(kind::resource_updated, "remote", dynamic_text) > 0; };
  const bool heard = co_await fixture.until(told);
  expect(heard) << on;
  const std::string off = co_await fixture.call("remote__toggle-subscriber-updates");
  auto unsubscribed = co_await fixture.at().unsubscribe("remote", dynamic_text);
  expect(unsubscribed.has_value()) << off;
}

// Its memory of the session is gone, and Hawser begins a new one by itself.
task<void> is_restarted(interop_fixture& fixture) {
  const auto again = fixture.at().restart("remote");
  expect(again.has_value());
  const auto initialized = [&] { return fixture.sent("remote", R"("method":"initialize")") == 2; };
  const bool anew = co_await fixture.until(initialized);
  const bool ready = co_await fixture.until_ready("remote");
  expect(anew and ready);
  const std::string echo = co_await fixture.call("remote__echo", R"({"message":"anew"})");
  expect(echo == "Echo: anew") << echo;
}

void check(interop_fixture& fixture) {
  fixture.user.roots = {{.uri = "file:///tmp/one", .name = "one"}};
  "it speaks 2025-11-25, and its tools that come later are heard of"_test = [&] { fixture.run(agrees); };
  "it answers calls, says no, and its errors have their numbers"_test = [&] { fixture.run(answers_calls); };
  "many calls at once are answered, none waits for a slow one"_test = [&] { fixture.run(answers_many); };
  "it reports progress while it answers"_test = [&] { fixture.run(progresses); };
  "a cancelled call ends at once, and the next one is answered"_test = [&] { fixture.run(is_cancelled); };
  "it asks for a form, a sample and the roots"_test = [&] { fixture.run(asks); };
  "an update of a resource is told to who subscribed"_test = [&] { fixture.run(tells_updates); };
  "restarted, it has a new session"_test = [&] { fixture.run(is_restarted); };
  "closing it leaves nothing behind"_test = [&] { fixture.stop(); };
}

const suite<"interop http: everything"> streamable = [] {
  interop_fixture fixture{
      {{.name = "remote", .script = interop::everything, .more = {"streamableHttp"}, .path = "/mcp"}}};
  check(fixture);
};

const suite<"interop sse: everything"> sse = [] {
  interop_fixture fixture{{{.name = "remote", .script = interop::everything, .more = {"sse"}, .path = "/sse"}}};
  check(fixture);
};

}  // namespace http_everything_test

// SPDX-License-Identifier: MIT
// server-everything over the network: Streamable HTTP of the legacy era, where what the server says by itself comes on
// a stream of its own, and the HTTP+SSE transport of 2024-11-05 before it. The same claims hold for both.
#include <chrono>

#include "../../runtime/scope.hpp"
#include "../support/call_outcome.hpp"
#include "../support/contains.hpp"
#include "../support/interop_house.hpp"

namespace http_everything_test {

using namespace hawser;
using testing::call_outcome;
using testing::contains;
using testing::interop_house;
namespace interop = testing::interop;
namespace json = boost::json;
using action = elicitation_answer::action;
using kind = host_change::kind;

constexpr const char* dynamic_text = "demo://resource/dynamic/text/1";

task<void> agrees(interop_house& house) {
  const server_status now = house.of("remote");
  expect(now.transport == "http" and now.state == server_state::ready);
  expect(now.agreed.revision == "2025-11-25") << now.agreed.revision;
  expect(now.agreed.server.name == "mcp-servers/everything") << now.agreed.server.name;
  expect(house.sent("remote", R"("method":"initialize")") == 1_ul);
  const auto all_tools = [&] { return house.of("remote").tools == 17; };
  const bool grew = co_await house.until(all_tools);
  expect(grew) << "its changes are heard: " << house.of("remote").tools;
}

task<void> answers_calls(interop_house& house) {
  const std::string echo = co_await house.call("remote__echo", R"({"message":"grüß dich"})");
  expect(echo == "Echo: grüß dich") << echo;
  auto bad = co_await house.at().call("remote__get-sum", R"({"a":"one"})");
  expect(fatal(bad.has_value()));
  expect(bad->is_error() and contains(bad->text(), "Input validation error")) << bad->text();
  auto missing = co_await house.at().read_resource("remote", "demo://nope");
  expect(missing.has_error() and missing.error().code == errc::remote and missing.error().native == -32602_i);
}

task<void> answers_many(interop_house& house) {
  scope calls{co_await this_context()};
  std::vector<call_outcome> answers(20);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    // The first ones take long: the others do not wait for them.
    std::string arguments = i < 4 ? R"({"duration":1,"steps":2})" : R"({"message":")" + std::to_string(i) + R"("})";
    std::string tool = i < 4 ? "remote__trigger-long-running-operation" : "remote__echo";
    calls.spawn(call_into(house.at(), answers[i], std::move(tool), std::move(arguments), {}));
  }
  co_await calls.join();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const std::string said = answers[i].said();
    expect(i < 4 ? contains(said, "operation completed") : said == "Echo: " + std::to_string(i)) << i << said;
    if (i >= 4) expect(answers[i].at < answers[0].at) << i << "waited for a slow one";
  }
}

task<void> progresses(interop_house& house) {
  std::vector<double> steps;
  call_settings settings;
  settings.on_progress = [&](const progress_update& update) { steps.push_back(update.progress); };
  auto answer = co_await house.at().call("remote__trigger-long-running-operation", R"({"duration":0.4,"steps":4})",
                                         std::move(settings));
  expect(fatal(answer.has_value()));
  expect(contains(answer->text(), "Long running operation completed")) << answer->text();
  expect((steps == std::vector<double>{1, 2, 3, 4}));
}

task<void> is_cancelled(interop_house& house) {
  std::stop_source enough;
  call_settings settings;
  settings.on_progress = [&](const progress_update&) { enough.request_stop(); };
  settings.stop = enough.get_token();
  auto answer = co_await house.at().call("remote__trigger-long-running-operation", R"({"duration":2,"steps":20})",
                                         std::move(settings));
  expect(answer.has_error() and answer.error().code == errc::cancelled);
  const std::string echo = co_await house.call("remote__echo", R"({"message":"still here"})");
  expect(echo == "Echo: still here") << echo;
}

task<void> asks(interop_house& house) {
  house.user.form = {.what = action::accept, .content = {{"name", "Ada"}, {"check", true}, {"integer", 7}}};
  const std::string form = co_await house.call("remote__trigger-elicitation-request");
  expect(contains(form, "- Name: Ada") and contains(form, R"("number": 3.14)")) << form;
  house.user.sample = json::object{{"role", "assistant"},
                                   {"content", {{"type", "text"}, {"text", "an answer"}}},
                                   {"model", "a model of the test"},
                                   {"stopReason", "endTurn"}};
  const std::string sample =
      co_await house.call("remote__trigger-sampling-request", R"({"prompt":"say","maxTokens":50})");
  expect(contains(sample, R"("text": "an answer")")) << sample;
  const std::string roots = co_await house.call("remote__get-roots-list");
  expect(contains(roots, "URI: file:///tmp/one")) << roots;
}

task<void> tells_updates(interop_house& house) {
  auto subscribed = co_await house.at().subscribe("remote", dynamic_text);
  expect(subscribed.has_value());
  const std::string on = co_await house.call("remote__toggle-subscriber-updates");
  const auto told = [&] { return house.told(kind::resource_updated, "remote", dynamic_text) > 0; };
  const bool heard = co_await house.until(told);
  expect(heard) << on;
  const std::string off = co_await house.call("remote__toggle-subscriber-updates");
  auto unsubscribed = co_await house.at().unsubscribe("remote", dynamic_text);
  expect(unsubscribed.has_value()) << off;
}

// Its memory of the session is gone, and Hawser begins a new one by itself.
task<void> is_restarted(interop_house& house) {
  const auto again = house.at().restart("remote");
  expect(again.has_value());
  const auto initialized = [&] { return house.sent("remote", R"("method":"initialize")") == 2; };
  const bool anew = co_await house.until(initialized);
  const bool ready = co_await house.until_ready("remote");
  expect(anew and ready);
  const std::string echo = co_await house.call("remote__echo", R"({"message":"anew"})");
  expect(echo == "Echo: anew") << echo;
}

void check(interop_house& house) {
  house.user.roots = {{.uri = "file:///tmp/one", .name = "one"}};
  "it speaks 2025-11-25, and its tools that come later are heard of"_test = [&] { house.run(agrees); };
  "it answers calls, says no, and its errors have their numbers"_test = [&] { house.run(answers_calls); };
  "many calls at once are answered, none waits for a slow one"_test = [&] { house.run(answers_many); };
  "it reports progress while it answers"_test = [&] { house.run(progresses); };
  "a cancelled call ends at once, and the next one is answered"_test = [&] { house.run(is_cancelled); };
  "it asks for a form, a sample and the roots"_test = [&] { house.run(asks); };
  "an update of a resource is told to who subscribed"_test = [&] { house.run(tells_updates); };
  "restarted, it has a new session"_test = [&] { house.run(is_restarted); };
  "closing it leaves nothing behind"_test = [&] { house.stop(); };
}

const suite<"interop http: everything"> streamable = [] {
  interop_house house{{{.name = "remote", .script = interop::everything, .more = {"streamableHttp"}, .path = "/mcp"}}};
  check(house);
};

const suite<"interop sse: everything"> sse = [] {
  interop_house house{{{.name = "remote", .script = interop::everything, .more = {"sse"}, .path = "/sse"}}};
  check(house);
};

}  // namespace http_everything_test

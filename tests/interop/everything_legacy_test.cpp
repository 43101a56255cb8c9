// SPDX-License-Identifier: MIT
// server-everything of a year before, made in another way: a hundred resources in ten pages, errors where the new one
// has results, and questions at moments when nobody expects them.
#include <boost/json/parse.hpp>
#include <set>

#include "../support/contains.hpp"
#include "../support/interop_fixture.hpp"

namespace everything_legacy_test {

using namespace hawser;
using testing::contains;
using testing::interop_fixture;
namespace interop = testing::interop;
namespace json = boost::json;
using action = elicitation_answer::action;
using kind = host_change::kind;

bool says(const result<raw_json>& answer, int code) {
  return answer.has_error() && answer.error().code == errc::remote && answer.error().native == code;
}

task<void> agrees(interop_fixture& fixture) {
  const server_status now = fixture.of("old");
  expect(now.negotiated.revision == "2025-11-25" and now.negotiated.server.name == "example-servers/everything");
  expect(!now.negotiated.can.tools_changes and now.negotiated.can.subscribe and now.negotiated.can.completions);
  expect(now.tools == 11_ul and now.noise == 0_ul);
  expect(fixture.sent("old", R"("method":"tools/list")") == 1_ul);
  co_return;
}

task<void> has_pages(interop_fixture& fixture) {
  auto listed = co_await fixture.at().list("old", list_kind::resources);
  expect(fatal(listed.has_value()));
  std::set<std::string> uris;
  for (const json::value& one : *listed) uris.emplace(one.at("uri").as_string());
  expect(listed->size() == 100_ul and uris.size() == 100_ul);
  expect(uris.contains("test://static/resource/1") and uris.contains("test://static/resource/100"));
  expect(fixture.sent("old", R"("method":"resources/list")") == 10_ul);

  auto templates = co_await fixture.at().list("old", list_kind::resource_templates);
  expect(templates.has_value() and templates->size() == 1_ul);
  auto text = co_await fixture.at().read_resource("old", "test://static/resource/1");
  expect(text.has_value() and contains(text->text(), "This is a plaintext resource"));
  auto blob = co_await fixture.at().read_resource("old", "test://static/resource/2");
  expect(blob.has_value() and contains(blob->text(), R"("blob":)"));
  auto missing = co_await fixture.at().read_resource("old", "test://static/resource/101");
  expect(says(missing, -32603));
}

task<void> has_prompts(interop_fixture& fixture) {
  auto listed = co_await fixture.at().list("old", list_kind::prompts);
  expect(listed.has_value() and listed->size() == 3_ul);
  auto prompt = co_await fixture.at().get_prompt("old", "complex_prompt", R"({"temperature":"0.5","style":"formal"})");
  expect(fatal(prompt.has_value()));
  const json::value messages = json::parse(prompt->text()).at("messages");
  expect(messages.as_array().size() == 3_ul);
  expect(messages.at(2).at("content").at("type") == "image");
  auto unknown = co_await fixture.at().get_prompt("old", "nope", "{}");
  expect(says(unknown, -32603));
  auto completed = co_await fixture.at().complete(
      "old", R"({"ref":{"type":"ref/prompt","name":"complex_prompt"},"argument":{"name":"style","value":"f"}})");
  expect(completed.has_value() and contains(completed->text(), R"(["formal","friendly"])"));
}

task<void> answers_calls(interop_fixture& fixture) {
  const std::string sum = co_await fixture.call("old__add", R"({"a":1,"b":2})");
  expect(sum == "The sum of 1 and 2 is 3.") << sum;
  auto weather = co_await fixture.at().call("old__structuredContent", R"({"location":"Chicago"})");
  expect(fatal(weather.has_value()));
  expect(weather->data().value() == json::parse(R"({"temperature":22.5,"conditions":"Partly cloudy","humidity":65})"));
  const std::string links = co_await fixture.call("old__getResourceLinks", R"({"count":2})");
  expect(contains(links, "\n[resource: test://static/resource/1]\n[resource: test://static/resource/2]")) << links;
  auto unknown = co_await fixture.at().call(fixture.of("old").id, "nope", "{}");
  expect(unknown.has_error() and unknown.error().code == errc::tool_unknown);
}

task<void> progresses_and_is_cancelled(interop_fixture& fixture) {
  std::vector<double> steps;
  request_options whole;
  whole.on_progress = [&](const progress_update& update) { steps.push_back(update.progress); };
  auto done =
      co_await fixture.at().call("old__longRunningOperation", R"({"duration":0.3,"steps":3})", std::move(whole));
  expect(done.has_value() and steps == std::vector<double>{1, 2, 3});

  std::stop_source enough;
  request_options part;
  part.on_progress = [&](const progress_update&) { enough.request_stop(); };
  part.stop = enough.get_token();
  auto cancelled =
      co_await fixture.at().call("old__longRunningOperation", R"({"duration":1,"steps":10})", std::move(part));
  expect(cancelled.has_error() and cancelled.error().code == errc::cancelled);
  expect(fixture.sent("old", R"("method":"notifications/cancelled")") == 1_ul);
  const std::string echo = co_await fixture.call("old__echo", R"({"message":"still here"})");
  expect(echo == "Echo: still here") << echo;
}

task<void> asks(interop_fixture& fixture) {
  fixture.user.sample = json::object{
      {"role", "assistant"}, {"content", {{"type", "text"}, {"text", "sampled"}}}, {"model", "a model of the test"}};
  const std::string sampled = co_await fixture.call("old__sampleLLM", R"({"prompt":"say","maxTokens":50})");
  expect(sampled == "LLM sampling result: sampled") << sampled;
  expect(fatal(fixture.user.prompts.size() == 1_ul));
  expect(fixture.user.prompts.front().params.at("includeContext") == "thisServer");
  fixture.user.sample.reset();
  auto declined = co_await fixture.at().call("old__sampleLLM", R"({"prompt":"say","maxTokens":50})");
  expect(declined.has_error() and declined.error().code == errc::remote and declined.error().native == -1_i);

  fixture.user.form = {.what = action::accept, .content = {{"color", "red"}, {"number", 7}, {"pets", "cats"}}};
  const std::string filled = co_await fixture.call("old__startElicitation");
  expect(contains(filled, "- Color: red\n- Number: 7\n- Pets: cats")) << filled;
  fixture.user.form = {.what = action::decline};
  const std::string refused = co_await fixture.call("old__startElicitation");
  expect(contains(refused, "User declined to provide their favorite things")) << refused;
}

task<void> asks_before_it_subscribes(interop_fixture& fixture) {
  fixture.user.sample = json::object{
      {"role", "assistant"}, {"content", {{"type", "text"}, {"text", "go on"}}}, {"model", "a model of the test"}};
  const std::size_t before = fixture.user.prompts.size();
  auto subscribed = co_await fixture.at().subscribe("old", "test://static/resource/1");
  expect(subscribed.has_value() and fixture.user.prompts.size() == before + 1);
  auto unsubscribed = co_await fixture.at().unsubscribe("old", "test://static/resource/1");
  expect(unsubscribed.has_value());
  auto chatty = co_await fixture.at().set_log_level("old", "debug");
  expect(chatty.has_value() and fixture.told(kind::log_message, "old", "Logging level set to: debug") == 1_ul);
}

task<void> asks_nobody(interop_fixture& fixture) {
  auto subscribed = co_await fixture.at().subscribe("old", "test://static/resource/1");
  expect(subscribed.has_error() and subscribed.error().code == errc::remote);
  expect(subscribed.has_error() and subscribed.error().native == -32601_i);
  const std::string echo = co_await fixture.call("old__echo", R"({"message":"still here"})");
  expect(echo == "Echo: still here") << echo;
}

const suite<"interop: everything of 2025"> tests = [] {
  interop_fixture fixture{{{.name = "old", .script = interop::everything_legacy}}};

  "it speaks 2025-11-25 and its list is read once"_test = [&] { fixture.run(agrees); };
  "all ten pages of its resources are read, each once"_test = [&] { fixture.run(has_pages); };
  "it has prompts and completes their arguments"_test = [&] { fixture.run(has_prompts); };
  "it answers calls, and an unknown tool with an error"_test = [&] { fixture.run(answers_calls); };
  "it reports progress, and a cancelled call ends at once"_test = [&] { fixture.run(progresses_and_is_cancelled); };
  "it asks the model and the user"_test = [&] { fixture.run(asks); };
  "it asks the model before it answers a subscription"_test = [&] { fixture.run(asks_before_it_subscribes); };
  "no process of it is left"_test = [&] { fixture.stop(); };
  "B21 a question that was not declared gets an error, and the server goes on"_test = [] {
    interop_fixture empty{{{.name = "old", .script = interop::everything_legacy}}, {.has_user = false}};
    empty.run(asks_nobody);
    empty.stop();
  };
};

}  // namespace everything_legacy_test

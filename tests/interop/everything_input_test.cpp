// SPDX-License-Identifier: MIT
// What server-everything asks of its host: folders, a model's answer, forms and pages; and how it ends when it waits
// for an answer, since then it takes no notice of the end of its input.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>

#include "../../runtime/async/scope.hpp"
#include "../support/contains.hpp"
#include "../support/interop_fixture.hpp"

namespace everything_input_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::contains;
using testing::interop_fixture;
namespace interop = testing::interop;
namespace json = boost::json;
using action = elicitation_answer::action;

json::object sample(std::string_view text) {
  return {{"role", "assistant"},
          {"content", {{"type", "text"}, {"text", text}}},
          {"model", "a model of the test"},
          {"stopReason", "endTurn"}};
}

task<void> looks_at_roots(interop_fixture& fixture) {
  const auto knows = [&] {
    return fixture.told(host_change::kind::log_message, "everything", "Roots updated: 1 root") > 0;
  };
  const bool told = co_await fixture.until(knows);
  expect(told);
  expect(fatal(!fixture.user.looks.empty()));
  expect(fixture.user.looks.front().server == "everything");
  const std::string first = co_await fixture.call("everything__get-roots-list");
  expect(contains(first, "URI: file:///tmp/one") and contains(first, "1 total")) << first;

  fixture.user.roots.push_back({.uri = "file:///tmp/two", .name = "two"});
  auto notified = fixture.at().notify("everything", "notifications/roots/list_changed");
  expect(notified.has_value());
  const auto looked = [&] {
    return fixture.told(host_change::kind::log_message, "everything", "Roots updated: 2 root") > 0;
  };
  const bool looked_again = co_await fixture.until(looked);
  expect(looked_again);
  const std::string second = co_await fixture.call("everything__get-roots-list");
  expect(contains(second, "URI: file:///tmp/two")) << second;
}

task<void> asks_the_model(interop_fixture& fixture) {
  fixture.user.sample = sample("an answer");
  const std::string answer =
      co_await fixture.call("everything__trigger-sampling-request", R"({"prompt":"say","maxTokens":50})");
  expect(answer.starts_with("LLM sampling result:") and contains(answer, R"("text": "an answer")")) << answer;
  expect(fatal(fixture.user.prompts.size() == 1_ul));
  const sampling_request& asked = fixture.user.prompts.front();
  expect(asked.server == "everything" and asked.params.at("maxTokens") == 50);
  expect(contains(json::serialize(asked.params), "Resource trigger-sampling-request context: say"));

  fixture.user.sample.reset();
  auto declined = co_await fixture.at().call("everything__trigger-sampling-request", R"({"prompt":"say"})");
  expect(fatal(declined.has_value()));
  expect(declined->is_error() and contains(declined->text(), "MCP error -1: ")) << declined->text();
}

task<void> asks_by_form(interop_fixture& fixture) {
  fixture.user.form = {.what = action::accept, .content = {{"name", "Ada"}, {"check", true}, {"integer", 7}}};
  const std::string accepted = co_await fixture.call("everything__trigger-elicitation-request");
  expect(contains(accepted, "User provided the requested information") and contains(accepted, "- Name: Ada"))
      << accepted;
  // What the user did not change is what the form was prefilled with.
  expect(contains(accepted, R"("integer": 7)") and contains(accepted, R"("number": 3.14)")) << accepted;
  expect(contains(accepted, R"("untitledSingleSelectEnum": "Monica")")) << accepted;
  expect(fatal(fixture.user.forms.size() == 1_ul));
  expect(fixture.user.forms.front().server == "everything");
  expect(fixture.user.forms.front().message == "Please provide inputs for the following fields:");
  expect(fixture.user.forms.front().schema.at("properties").as_object().size() == 13_ul);

  fixture.user.form = {.what = action::decline};
  const std::string declined = co_await fixture.call("everything__trigger-elicitation-request");
  expect(contains(declined, "User declined to provide the requested information")) << declined;
  fixture.user.form = {.what = action::cancel};
  const std::string cancelled = co_await fixture.call("everything__trigger-elicitation-request");
  expect(contains(cancelled, "User cancelled the elicitation dialog")) << cancelled;
}

task<void> asks_by_page(interop_fixture& fixture) {
  fixture.user.url = {.what = action::accept};
  const std::string arguments = R"({"url":"https://example.com/a","message":"Open it"})";
  const std::string accepted = co_await fixture.call("everything__trigger-url-elicitation", arguments);
  expect(contains(accepted, "User completed the URL elicitation flow")) << accepted;
  expect(fatal(fixture.user.pages.size() == 1_ul));
  expect(fixture.user.pages.front().url == "https://example.com/a" and fixture.user.pages.front().message == "Open it");
  fixture.user.url = {.what = action::decline};
  const std::string declined = co_await fixture.call("everything__trigger-url-elicitation", arguments);
  expect(contains(declined, "User declined to open the URL")) << declined;
}

task<void> asks_by_error(interop_fixture& fixture) {
  fixture.user.url = {.what = action::decline};
  const std::size_t before = fixture.user.pages.size();
  auto answer = co_await fixture.at().call("everything__trigger-url-elicitation",
                                           R"({"url":"https://example.com/b","errorPath":true})");
  expect(answer.has_error() and answer.error().code == errc::remote and answer.error().native == -32042_i);
  expect(fixture.user.pages.size() == before + 1 and
         fixture.user.pages.back().url == "https://modelcontextprotocol.io");
}

// A stop while the server waits for its model.
struct open_call {
  std::optional<result<envelope>> answer{};
  std::chrono::steady_clock::duration stop_took{};
};

task<void> record_call(interop_fixture& fixture, open_call& call) {
  call.answer.emplace(co_await fixture.at().call("everything__trigger-sampling-request", R"({"prompt":"say"})"));
}

task<void> stops_with(interop_fixture& fixture, open_call& call) {
  fixture.user.thinks = true;
  scope calls{co_await this_context()};
  calls.spawn(record_call(fixture, call));
  const auto asked = [&] { return !fixture.user.prompts.empty(); };
  const bool was_asked = co_await fixture.until(asked);
  expect(was_asked);
  const auto begin = std::chrono::steady_clock::now();
  auto closed = co_await fixture.at().close();
  call.stop_took = std::chrono::steady_clock::now() - begin;
  expect(closed.has_value());
  co_await calls.join();
}

const suite<"interop: everything asks"> tests = [] {
  interop_fixture fixture{{{.name = "everything", .script = interop::everything}}};
  fixture.user.roots = {{.uri = "file:///tmp/one", .name = "one"}};

  "S090 it looks at the roots, and again when they changed"_test = [&] { fixture.run(looks_at_roots); };
  "S089 it asks the model, and is told when the user declines"_test = [&] { fixture.run(asks_the_model); };
  "S091 it asks by a form: accepted with the schema's defaults, declined, cancelled"_test = [&] {
    fixture.run(asks_by_form);
  };
  "it asks to open a page: accepted, declined"_test = [&] { fixture.run(asks_by_page); };
  "a call that needs a page first and does not get it ends with the server's error"_test = [&] {
    fixture.run(asks_by_error);
  };
  "everything was answered, and no process of it is left"_test = [&] { fixture.stop(); };

  "it ends within the ladder although it takes no notice of the end of its input"_test = [] {
    interop_fixture waiting{{{.name = "everything", .script = interop::everything}},
                            {.ladder = {.after_stdin = 300ms, .after_sigterm = 20s}}};
    open_call call;
    waiting.run([&](interop_fixture& h) { return stops_with(h, call); });
    waiting.stop();
    if (!call.answer) return;  // skipped
    expect(call.answer->has_error() and call.answer->error().executed == execution::unknown);
    expect(call.stop_took >= 300ms and call.stop_took < 20s);
  };
};

}  // namespace everything_input_test

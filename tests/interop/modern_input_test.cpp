// SPDX-License-Identifier: MIT
// What a server made with the official SDK asks of its host, by the results of the 2026-07-28 era that are not
// complete; and that the same tools ask the same user by requests when the era before is spoken.
#include <boost/json/serialize.hpp>

#include "../support/contains.hpp"
#include "../support/interop_fixture.hpp"

namespace modern_input_test {

using namespace hawser;
using testing::contains;
using testing::interop_fixture;
namespace interop = testing::interop;
namespace json = boost::json;
using action = elicitation_answer::action;

constexpr std::string_view state = R"("requestState":")";

json::object sample(std::string_view text) {
  return {{"role", "assistant"},
          {"content", {{"type", "text"}, {"text", text}}},
          {"model", "a model of the test"},
          {"stopReason", "endTurn"}};
}

// Two forms, one after the other.
task<void> asks_by_form(interop_fixture& fixture) {
  fixture.user.form = {.what = action::accept, .content = {{"name", "Ada"}, {"colour", "red"}}};
  const std::string accepted = co_await fixture.call("modern__greet");
  expect(accepted == "Hello Ada, you like red") << accepted;
  expect(fatal(fixture.user.forms.size() == 2_ul));
  expect(fixture.user.forms[0].server == "modern" and fixture.user.forms[0].message == "Who are you?");
  expect(fixture.user.forms[1].message == "Which colour?");

  fixture.user.form.content.erase("name");
  const std::string usual = co_await fixture.call("modern__greet");
  expect(usual == "Hello nobody, you like red") << usual;
  fixture.user.form = {.what = action::decline};
  const std::string declined = co_await fixture.call("modern__greet");
  expect(declined == "decline: no greeting") << declined;
}

// The state is signed by the server: an answer proves that it came back byte for byte.
task<void> rounds_have_state(interop_fixture& fixture) {
  expect(fixture.received("modern", R"("resultType":"input_required")") == 5_ul);
  expect(fixture.received("modern", state) == 2_ul and fixture.sent("modern", state) == 2_ul);
  expect(fixture.sent("modern", R"("inputResponses":)") == 5_ul);
  expect(fixture.received("modern", R"("method":"elicitation/create","jsonrpc")") == 0_ul) << "no requests of its own";
  co_return;
}

task<void> asks_for_the_rest(interop_fixture& fixture) {
  fixture.user.url = {.what = action::accept};
  const std::string page = co_await fixture.call("modern__open_page");
  expect(page == "page: accept") << page;
  expect(fatal(fixture.user.pages.size() == 1_ul));
  expect(fixture.user.pages[0].url == "https://example.com/sign-in" and
         fixture.user.pages[0].message == "Please sign in");
  fixture.user.url = {.what = action::cancel};
  const std::string closed = co_await fixture.call("modern__open_page");
  expect(closed == "page: cancel") << closed;

  fixture.user.sample = sample("an answer");
  const std::string said = co_await fixture.call("modern__ask_model");
  expect(said == "model: an answer") << said;
  expect(fatal(fixture.user.prompts.size() == 1_ul));
  expect(contains(json::serialize(fixture.user.prompts[0].params), "Say something"));

  fixture.user.roots = {{.uri = "file:///tmp/one"}, {.uri = "file:///tmp/two"}};
  const std::string roots = co_await fixture.call("modern__list_roots");
  expect(roots == "roots: file:///tmp/one file:///tmp/two") << roots;
}

// There is no way to tell the server of a modern era that the user declined: the call is given up.
task<void> is_declined(interop_fixture& fixture) {
  fixture.user.sample.reset();
  auto declined = co_await fixture.at().call("modern__ask_model", "{}");
  expect(declined.has_error() and declined.error().executed == execution::unknown);
  expect(declined.has_error() and contains(declined.error().what, R"(server "modern")"));
  const std::string echo = co_await fixture.call("modern__echo", R"({"text":"still here"})");
  expect(echo == "still here") << echo;
}

task<void> asks_nobody(interop_fixture& fixture) {
  auto greeting = co_await fixture.at().call("modern__greet", "{}");
  expect(fatal(greeting.has_error()));
  expect(greeting.error().code == errc::remote and greeting.error().native == -32021_i) << greeting.error().what;
  expect(contains(greeting.error().data, "requiredCapabilities")) << greeting.error().data;
}

task<void> speaks_the_era_before(interop_fixture& fixture) {
  expect(fixture.of("modern").negotiated.revision == "2025-11-25");
  expect(fixture.sent("modern", "server/discover") == 0_ul);
  const std::string added = co_await fixture.call("modern__toggle_tool");
  const auto there = [&] { return fixture.at().tools()->find("modern__late") != nullptr; };
  const bool came = co_await fixture.until(there);
  expect(added == "added" and came and fixture.sent("modern", "subscriptions/listen") == 0_ul);
  // It says that it can, and cannot.
  auto subscribed = co_await fixture.at().subscribe("modern", "note://latest");
  expect(fixture.of("modern").negotiated.can.subscribe and subscribed.has_error());
  expect(subscribed.has_error() and subscribed.error().native == -32601_i);
}

task<void> asked_by_requests(interop_fixture& fixture) {
  expect(fixture.received("modern", R"("method":"elicitation/create")") >= 6_ul);
  expect(fixture.received("modern", "input_required") == 0_ul);
  co_return;
}

const suite<"interop: modern asks"> tests = [] {
  interop_fixture fixture{{{.name = "modern", .script = interop::modern, .more = {"--modern-only"}}}};
  "S091 it asks by two forms in two rounds, with a state of its own: accepted, with defaults, declined"_test = [&] {
    fixture.run(asks_by_form);
    fixture.run(rounds_have_state);
  };
  "S089 S090 it asks to open a page, for the model and for the roots"_test = [&] { fixture.run(asks_for_the_rest); };
  "what the user declines to give ends the call"_test = [&] { fixture.run(is_declined); };
  "no process of it is left"_test = [&] { fixture.stop(); };

  "without a user it says which capability it needs"_test = [] {
    interop_fixture empty{{{.name = "modern", .script = interop::modern, .more = {"--modern-only"}}},
                          {.has_user = false}};
    empty.run(asks_nobody);
    empty.stop();
  };

  "in the era before it tells of changes unasked, and its tools ask the same user by requests"_test = [] {
    interop_fixture older{
        {{.name = "modern", .script = interop::modern, .protocol = {.era = protocol_choice::kind::legacy}}}};
    older.run(speaks_the_era_before);
    older.run(asks_by_form);
    older.run(asks_for_the_rest);
    older.run(asked_by_requests);
    older.stop();
  };
};

}  // namespace modern_input_test

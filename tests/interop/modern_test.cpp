// SPDX-License-Identifier: MIT
// A server of the 2026-07-28 era, made with the official SDK: what a host asks of it, and how it tells of changes. It
// refuses the era before, so that nothing here can pass by falling back.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "../support/contains.hpp"
#include "../support/interop_fixture.hpp"

namespace modern_test {

using namespace hawser;
using testing::contains;
using testing::interop_fixture;
namespace interop = testing::interop;
namespace json = boost::json;
using kind = host_change::kind;

constexpr std::string_view listen = R"("method":"subscriptions/listen")";
constexpr std::string_view acknowledged = R"("method":"notifications/subscriptions/acknowledged")";

bool says(const result<raw_json>& answer, int code) {
  return answer.has_error() && answer.error().code == errc::remote && answer.error().native == code;
}

task<void> agrees(interop_fixture& fixture) {
  const server_status now = fixture.of("modern");
  expect(now.negotiated.revision == "2026-07-28" and now.negotiated.modern());
  expect(now.negotiated.server.name == "hawser-modern" and now.negotiated.server.version == "1.0.0");
  expect(now.negotiated.instructions == "A server for tests.");
  expect(now.negotiated.can.tools_changes and now.negotiated.can.resources_changes and
         now.negotiated.can.prompts_changes);
  expect(now.negotiated.can.subscribe and now.negotiated.can.completions and now.negotiated.can.logging);
  expect(now.tools == 11_ul and now.noise == 0_ul);
  expect(fixture.received("modern", R"("supportedVersions":["2026-07-28"])") >= 1_ul);
  co_return;
}

// Every request says who asks and in which revision; the server would refuse one that does not.
task<void> answers_calls(interop_fixture& fixture) {
  const std::string echo = co_await fixture.call("modern__echo", R"({"text":"grüß dich"})");
  expect(echo == "grüß dich") << echo;
  auto sum = co_await fixture.at().call("modern__add", R"({"a":1,"b":2})");
  expect(fatal(sum.has_value()));
  expect(sum->text() == "3" and sum->data().value() == json::parse(R"({"sum":3})")) << sum->text();
  expect(contains(json::serialize(sum->meta().value()), "hawser-modern"))
      << "what the SDK says of itself in every result";
  const table_ref table = fixture.at().tools();
  const tool_row* row = table->find("modern__add");
  expect(fatal(row != nullptr));
  expect(row->definition->hints.is_read_only() and contains(row->definition->output_schema, "sum"));
}

task<void> says_no(interop_fixture& fixture) {
  auto failed = co_await fixture.at().call("modern__fail", "{}");
  expect(failed.has_value() and failed->is_error() and failed->text() == "no");
  auto bad = co_await fixture.at().call("modern__add", R"({"a":"one"})");
  expect(bad.has_value() and bad->is_error() and contains(bad->text(), "Input validation error"));
  auto unknown = co_await fixture.at().call(fixture.of("modern").id, "nope", "{}");
  expect(unknown.has_error() and unknown.error().code == errc::tool_unknown);
  auto ping = co_await fixture.at().request("modern", "ping", "");
  expect(says(ping, -32601)) << "the era has no ping";
}

task<void> has_resources_and_prompts(interop_fixture& fixture) {
  auto resources = co_await fixture.at().list("modern", list_kind::resources);
  expect(resources.has_value() and resources->size() == 2_ul);
  auto templates = co_await fixture.at().list("modern", list_kind::resource_templates);
  expect(templates.has_value() and templates->size() == 1_ul);
  auto read = co_await fixture.at().read_resource("modern", "note://number/7");
  expect(read.has_value() and contains(read->text(), R"("text":"note 7")"));
  auto missing = co_await fixture.at().read_resource("modern", "note://nope");
  expect(says(missing, -32602));

  auto prompts = co_await fixture.at().list("modern", list_kind::prompts);
  expect(prompts.has_value() and prompts->size() == 1_ul);
  auto prompt = co_await fixture.at().get_prompt("modern", "translate", R"({"language":"german","text":"hi"})");
  expect(prompt.has_value() and contains(prompt->text(), "Into german: hi"));
  auto lacking = co_await fixture.at().get_prompt("modern", "translate", "{}");
  expect(says(lacking, -32602));
  auto completed = co_await fixture.at().complete(
      "modern", R"({"ref":{"type":"ref/prompt","name":"translate"},"argument":{"name":"language","value":"e"}})");
  expect(completed.has_value() and contains(completed->text(), R"(["english","estonian"])"));
}

task<void> progresses(interop_fixture& fixture) {
  std::vector<std::string> steps;
  request_options settings;
  settings.on_progress = [&](const progress_update& update) { steps.emplace_back(update.message); };
  auto answer = co_await fixture.at().call("modern__count", R"({"to":3,"every_ms":1})", std::move(settings));
  expect(answer.has_value() and answer->text() == "counted to 3");
  expect(steps == std::vector<std::string>{"1 of 3", "2 of 3", "3 of 3"});
}

task<void> is_cancelled(interop_fixture& fixture) {
  std::stop_source enough;
  request_options settings;
  settings.on_progress = [&](const progress_update&) { enough.request_stop(); };
  settings.stop = enough.get_token();
  auto answer = co_await fixture.at().call("modern__count", R"({"to":100000,"every_ms":20})", std::move(settings));
  expect(answer.has_error() and answer.error().code == errc::cancelled);
  expect(fixture.sent("modern", R"("method":"notifications/cancelled")") == 1_ul);
  // Behind the notification: what it counts after this it counts in spite of it.
  const std::string first = co_await fixture.call("modern__count", R"({"to":2,"every_ms":30})");
  const std::size_t before = fixture.received("modern", "of 100000");
  const std::string second = co_await fixture.call("modern__count", R"({"to":2,"every_ms":30})");
  expect(first == "counted to 2" and second == first);
  expect(fixture.received("modern", "of 100000") == before) << "it stopped counting";
}

task<void> tells_new_tools(interop_fixture& fixture) {
  const auto listening = [&] { return fixture.received("modern", acknowledged) >= 1; };
  const bool heard = co_await fixture.until(listening);
  expect(heard and fixture.sent("modern", listen) == 1_ul);
  const std::string added = co_await fixture.call("modern__toggle_tool");
  const auto there = [&] { return fixture.at().tools()->find("modern__late") != nullptr; };
  const bool came = co_await fixture.until(there);
  expect(added == "added" and came) << added;
  const std::string late = co_await fixture.call("modern__late");
  expect(late == "late, but here") << late;
  const std::string removed = co_await fixture.call("modern__toggle_tool");
  const auto away = [&] { return fixture.at().tools()->find("modern__late") == nullptr; };
  const bool went = co_await fixture.until(away);
  expect(removed == "removed" and went) << removed;
}

task<void> tells_updates(interop_fixture& fixture) {
  const std::size_t before = fixture.received("modern", acknowledged);
  auto subscribed = co_await fixture.at().subscribe("modern", "note://latest");
  expect(subscribed.has_value());
  const auto listening = [&] { return fixture.received("modern", acknowledged) > before; };
  const bool heard = co_await fixture.until(listening);
  expect(heard and fixture.sent("modern", R"("resourceSubscriptions":["note://latest"])") == 1_ul);
  expect(fixture.sent("modern", "resources/subscribe") == 0_ul);
  const std::string written = co_await fixture.call("modern__write_note");
  expect(fixture.told(kind::resource_updated, "modern", "note://latest") == 1_ul) << written;
  auto unsubscribed = co_await fixture.at().unsubscribe("modern", "note://latest");
  expect(unsubscribed.has_value());
  const std::string unheard = co_await fixture.call("modern__write_note");
  const std::string echo = co_await fixture.call("modern__echo", R"({"text":"x"})");
  expect(fixture.told(kind::resource_updated, "modern", "note://latest") == 1_ul) << unheard << echo;
}

task<void> logs(interop_fixture& fixture) {
  const std::string silent = co_await fixture.call("modern__log");
  expect(silent == "logged" and fixture.told(kind::log_message, "modern") == 0_ul);
  auto info = co_await fixture.at().set_log_level("modern", "info");
  const std::string some = co_await fixture.call("modern__log");
  expect(info.has_value() and fixture.told(kind::log_message, "modern") == 1_ul) << some;
  expect(fixture.told(kind::log_message, "modern", "a line") == 1_ul);
  auto debug = co_await fixture.at().set_log_level("modern", "debug");
  const std::string all = co_await fixture.call("modern__log");
  expect(debug.has_value() and fixture.told(kind::log_message, "modern") == 3_ul) << all;
  expect(fixture.told(kind::log_message, "modern", "a detail") == 1_ul);
  expect(fixture.sent("modern", "logging/setLevel") == 0_ul) << "the level travels with every request";
}

const suite<"interop: modern"> tests = [] {
  interop_fixture fixture{{{.name = "modern", .script = interop::modern, .more = {"--modern-only"}}}};
  "it is asked for its era and speaks 2026-07-28"_test = [&] { fixture.run(agrees); };
  "it answers calls, with structured output"_test = [&] { fixture.run(answers_calls); };
  "it says no by results and by errors"_test = [&] { fixture.run(says_no); };
  "it has resources, templates, prompts and completion"_test = [&] { fixture.run(has_resources_and_prompts); };
  "it reports progress with words"_test = [&] { fixture.run(progresses); };
  "a cancelled call ends at once, and the server stops working on it"_test = [&] { fixture.run(is_cancelled); };
  "S072 a change of its tools is heard through subscriptions/listen"_test = [&] { fixture.run(tells_new_tools); };
  "an update of a resource is heard by who subscribed, and only then"_test = [&] { fixture.run(tells_updates); };
  "it logs from the level that travels with the requests"_test = [&] { fixture.run(logs); };
  "no process of it is left"_test = [&] { fixture.stop(); };
};

}  // namespace modern_test

// SPDX-License-Identifier: MIT
// The reference server of the legacy era, server-everything as it is now: what a host asks of it. What it asks of the
// host stands in everything_input_test.cpp.
#include <boost/json/parse.hpp>

#include "../support/contains.hpp"
#include "../support/interop_fixture.hpp"

namespace everything_test {

using namespace hawser;
using testing::contains;
using testing::interop_fixture;
namespace interop = testing::interop;
namespace json = boost::json;
using kind = host_change::kind;

constexpr std::string_view tools_list = R"("method":"tools/list")";
constexpr std::string_view tools_changed = R"("method":"notifications/tools/list_changed")";
constexpr const char* dynamic_text = "demo://resource/dynamic/text/1";

task<void> agrees(interop_fixture& fixture) {
  const server_status now = fixture.of("everything");
  expect(now.negotiated.revision == "2025-11-25") << now.negotiated.revision;
  expect(now.negotiated.server.name == "mcp-servers/everything") << now.negotiated.server.name;
  expect(now.negotiated.server.title == "Everything Reference Server") << now.negotiated.server.title;
  expect(now.negotiated.can.tools_changes and now.negotiated.can.subscribe and now.negotiated.can.completions);
  expect(!now.negotiated.instructions.empty());
  expect(now.noise == 0_ul and now.refused == 0_ul);
  expect(fixture.sent("everything", "server/discover") == 1_ul);
  expect(fixture.sent("everything", R"("method":"initialize")") == 1_ul);
  co_return;
}

task<void> tells_changes(interop_fixture& fixture) {
  const auto read_again = [&] { return fixture.sent("everything", tools_list) == 2; };
  const bool seen = co_await fixture.until(read_again);
  expect(seen);
  expect(fixture.received("everything", tools_changed) == 5_ul);
  expect(fixture.of("everything").tools == 17_ul);
  expect(fixture.at().tools()->find("everything__trigger-url-elicitation") != nullptr);
}

task<void> answers_calls(interop_fixture& fixture) {
  const std::string echo = co_await fixture.call("everything__echo", R"({"message":"grüß dich"})");
  expect(echo == "Echo: grüß dich") << echo;
  const std::string sum = co_await fixture.call("everything__get-sum", R"({"a":1,"b":2})");
  expect(sum == "The sum of 1 and 2 is 3.") << sum;
}

task<void> answers_with_values(interop_fixture& fixture) {
  auto answer = co_await fixture.at().call("everything__get-structured-content", R"({"location":"Chicago"})");
  expect(fatal(answer.has_value()));
  const json::value weather = json::parse(R"({"temperature":36,"conditions":"Light rain / drizzle","humidity":82})");
  expect(answer->structured().value() == weather);
  expect(answer->data().value() == weather);
  expect(json::parse(answer->text()) == weather) << answer->text();
}

task<void> answers_with_blocks(interop_fixture& fixture) {
  auto image = co_await fixture.at().call("everything__get-tiny-image", "{}");
  expect(fatal(image.has_value()));
  const auto blocks = image->content();
  expect(fatal(blocks.size() == 3_ul));
  expect(blocks[1].type == content_block::kind::image and blocks[1].mime_type == "image/png");
  expect(blocks[1].data.starts_with("iVBORw0KGgo"));
  expect(contains(image->text(), "\n[image: image/png, ") and !contains(image->text(), "iVBORw0KGgo")) << image->text();
  expect(image->data().value().is_array() and !image->structured().value().has_value());

  auto links = co_await fixture.at().call("everything__get-resource-links", R"({"count":3})");
  expect(fatal(links.has_value()));
  expect(links->content().size() == 4_ul);
  expect(links->content()[1].type == content_block::kind::resource_link);
  expect(contains(links->text(), "\n[resource: demo://resource/dynamic/text/2]\n")) << links->text();

  auto text =
      co_await fixture.at().call("everything__get-resource-reference", R"({"resourceType":"Text","resourceId":1})");
  expect(fatal(text.has_value()));
  expect(contains(text->text(), "\nResource 1: This is a plaintext resource")) << text->text();
  auto blob =
      co_await fixture.at().call("everything__get-resource-reference", R"({"resourceType":"Blob","resourceId":2})");
  expect(fatal(blob.has_value()));
  expect(contains(blob->text(), "\n[resource: demo://resource/dynamic/blob/2]\n")) << blob->text();
  expect(!blob->content()[1].data.empty() and blob->content()[1].mime_type == "text/plain");
}

task<void> says_no(interop_fixture& fixture) {
  auto bad = co_await fixture.at().call("everything__get-sum", R"({"a":"one"})");
  expect(fatal(bad.has_value()));
  expect(bad->is_error() and contains(bad->text(), "Input validation error")) << bad->text();
  auto unknown = co_await fixture.at().call(fixture.of("everything").id, "nope", "{}");
  expect(unknown.has_error() and unknown.error().code == errc::tool_unknown) << "it is not sent";
  auto not_listed = co_await fixture.at().call("everything__nope", "{}");
  expect(not_listed.has_error() and not_listed.error().code == errc::tool_unknown);
  auto as_task = co_await fixture.at().call("everything__simulate-research-query", R"({"topic":"knots"})");
  expect(fatal(as_task.has_value()));
  expect(as_task->is_error() and contains(as_task->text(), "requires task augmentation")) << as_task->text();
}

task<void> progresses(interop_fixture& fixture) {
  std::vector<std::pair<double, double>> steps;
  request_options settings;
  settings.on_progress = [&](const progress_update& update) {
    steps.emplace_back(update.progress, update.total.value_or(0));
  };
  auto answer = co_await fixture.at().call("everything__trigger-long-running-operation",
                                           R"({"duration":0.4,"steps":4})", std::move(settings));
  expect(fatal(answer.has_value()));
  expect(contains(answer->text(), "Long running operation completed")) << answer->text();
  const std::vector<std::pair<double, double>> all{{1, 4}, {2, 4}, {3, 4}, {4, 4}};
  expect(steps == all);
}

// It takes no notice: the progress of the dead call goes on, and disturbs nobody.
task<void> is_cancelled(interop_fixture& fixture) {
  std::stop_source enough;
  request_options settings;
  settings.on_progress = [&](const progress_update&) { enough.request_stop(); };
  settings.stop = enough.get_token();
  auto answer = co_await fixture.at().call("everything__trigger-long-running-operation", R"({"duration":1,"steps":10})",
                                           std::move(settings));
  expect(answer.has_error() and answer.error().code == errc::cancelled);
  expect(fixture.sent("everything", R"("method":"notifications/cancelled")") == 1_ul);
  const std::size_t before = fixture.received("everything", "notifications/progress");
  const auto goes_on = [&] { return fixture.received("everything", "notifications/progress") > before; };
  const bool went_on = co_await fixture.until(goes_on);
  expect(went_on);
  const std::string echo = co_await fixture.call("everything__echo", R"({"message":"still here"})");
  expect(echo == "Echo: still here") << echo;
}

task<void> has_resources(interop_fixture& fixture) {
  auto listed = co_await fixture.at().list("everything", list_kind::resources);
  expect(fatal(listed.has_value()));
  expect(listed->size() >= 7_ul) << listed->size();
  auto templates = co_await fixture.at().list("everything", list_kind::resource_templates);
  expect(fatal(templates.has_value()));
  expect(templates->size() == 2_ul);

  auto document = co_await fixture.at().read_resource("everything", "demo://resource/static/document/features.md");
  expect(fatal(document.has_value()));
  expect(contains(document->text(), R"("uri":"demo://resource/static/document/features.md")"));
  auto missing = co_await fixture.at().read_resource("everything", "demo://nope");
  expect(missing.has_error() and missing.error().code == errc::remote);
  expect(missing.has_error() and missing.error().native == -32602_i);
  expect(missing.has_error() and contains(missing.error().what, R"(server "everything")"));
}

task<void> has_prompts(interop_fixture& fixture) {
  auto listed = co_await fixture.at().list("everything", list_kind::prompts);
  expect(fatal(listed.has_value()));
  expect(listed->size() == 4_ul);
  auto prompt = co_await fixture.at().get_prompt("everything", "args-prompt", R"({"city":"Berlin"})");
  expect(fatal(prompt.has_value()));
  expect(contains(prompt->text(), "What's weather in Berlin?")) << prompt->text();
  auto lacking = co_await fixture.at().get_prompt("everything", "args-prompt", "{}");
  expect(lacking.has_error() and lacking.error().code == errc::remote);
  expect(lacking.has_error() and lacking.error().native == -32602_i);

  auto completed = co_await fixture.at().complete(
      "everything",
      R"({"ref":{"type":"ref/prompt","name":"completable-prompt"},"argument":{"name":"department","value":"S"}})");
  expect(fatal(completed.has_value()));
  expect(contains(completed->text(), R"("values":["Sales","Support"])")) << completed->text();
  auto in_context = co_await fixture.at().complete(
      "everything", R"({"ref":{"type":"ref/prompt","name":"completable-prompt"},"argument":{"name":"name","value":""},)"
                    R"("context":{"arguments":{"department":"Sales"}}})");
  expect(fatal(in_context.has_value()));
  expect(contains(in_context->text(), R"(["David","Eve","Frank"])")) << in_context->text();
}

task<void> tells_updates(interop_fixture& fixture) {
  auto subscribed = co_await fixture.at().subscribe("everything", dynamic_text);
  expect(subscribed.has_value());
  const std::string on = co_await fixture.call("everything__toggle-subscriber-updates");
  expect(fixture.told(kind::resource_updated, "everything", dynamic_text) == 1_ul) << on;
  const std::string off = co_await fixture.call("everything__toggle-subscriber-updates");
  auto unsubscribed = co_await fixture.at().unsubscribe("everything", dynamic_text);
  expect(unsubscribed.has_value()) << off;
  expect(fixture.sent("everything", "resources/unsubscribe") == 1_ul);
}

task<void> tells_new_resources(interop_fixture& fixture) {
  const std::size_t before = fixture.told(kind::resources, "everything");
  const std::string link =
      co_await fixture.call("everything__gzip-file-as-resource",
                            R"({"name":"x.gz","data":"data:text/plain,hello","outputType":"resourceLink"})");
  expect(link == "[resource: demo://resource/session/x.gz]") << link;
  expect(fixture.told(kind::resources, "everything") == before + 1);
}

task<void> logs(interop_fixture& fixture) {
  auto silent = co_await fixture.at().set_log_level("everything", "emergency");
  expect(silent.has_value());
  const std::size_t before = fixture.told(kind::log_message, "everything", "Subscribe Resource");
  auto unheard = co_await fixture.at().subscribe("everything", dynamic_text);
  expect(unheard.has_value() and fixture.told(kind::log_message, "everything", "Subscribe Resource") == before);
  auto chatty = co_await fixture.at().set_log_level("everything", "debug");
  auto heard = co_await fixture.at().unsubscribe("everything", dynamic_text);
  expect(chatty.has_value() and heard.has_value());
  const auto told = [&] { return fixture.told(kind::log_message, "everything", "nsubscribe Resource") > before; };
  const bool seen = co_await fixture.until(told);
  expect(seen);
}

const suite<"interop: everything"> tests = [] {
  interop_fixture fixture{{{.name = "everything", .script = interop::everything}}};
  fixture.user.roots = {{.uri = "file:///tmp", .name = "tmp"}};

  "it is asked for its era, does not understand, and speaks 2025-11-25"_test = [&] { fixture.run(agrees); };
  "B20 five changes of the list at its start are one more reading of it"_test = [&] { fixture.run(tells_changes); };
  "it answers calls by exposed name"_test = [&] { fixture.run(answers_calls); };
  "S095 a structured result is the data, and its text is its JSON"_test = [&] { fixture.run(answers_with_values); };
  "S075 S076 images and resources are mentioned in the text and whole in the blocks"_test = [&] {
    fixture.run(answers_with_blocks);
  };
  "S098 a tool that says no has a result, a tool that is not there an error"_test = [&] { fixture.run(says_no); };
  "it reports progress"_test = [&] { fixture.run(progresses); };
  "a cancelled call ends at once although it goes on working"_test = [&] { fixture.run(is_cancelled); };
  "it has resources and templates, and says which one is missing"_test = [&] { fixture.run(has_resources); };
  "it has prompts and completes their arguments"_test = [&] { fixture.run(has_prompts); };
  "an update of a resource is told to who subscribed"_test = [&] { fixture.run(tells_updates); };
  "a new resource is told"_test = [&] { fixture.run(tells_new_resources); };
  "it logs from the level that was asked for"_test = [&] { fixture.run(logs); };
  "its list was read no third time, and no process of it is left"_test = [&] {
    fixture.run([](interop_fixture& h) -> task<void> {
      expect(h.sent("everything", tools_list) <= 2_ul);
      co_return;
    });
    fixture.stop();
  };
};

}  // namespace everything_test

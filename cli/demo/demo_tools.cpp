// SPDX-License-Identifier: MIT
#include "demo_tools.hpp"

#include <cmath>
#include <cstdlib>

#include "../../runtime/async/sleep.hpp"
#include "../../transports/json/json_text.hpp"
#include "../../transports/json/object_writer.hpp"
#include "../terminal/number_text.hpp"

namespace hawser::cli {

namespace {

constexpr int crash_code = 3;
constexpr std::int64_t max_large_bytes = std::int64_t{64} << 20;
constexpr double longest_seconds = 3600;
constexpr duration slow_step = std::chrono::milliseconds{100};

// Invalid arguments are reported as a result, because the model that wrote them can correct them.
service_result failed_reply(std::string_view text) { return service_result::complete(failed_result(text)); }

service_result structured(std::string_view value) {
  object_writer block;
  object_writer result;
  result.member("content", '[' + block.text("type", "text").text("text", value).done() + ']');
  return service_result::complete(result.member("structuredContent", value).done());
}

task<result<service_result>> echo(request_context& request) {
  const auto text = text_of(find_member(request.arguments(), "text"));
  if (!text) co_return failed_reply("\"text\" is missing, or is not a string");
  co_return service_result::complete(text_result(*text));
}

task<result<service_result>> add_numbers(request_context& request) {
  const auto a = number_of(find_member(request.arguments(), "a"));
  const auto b = number_of(find_member(request.arguments(), "b"));
  if (!a || !b) co_return failed_reply("\"a\" and \"b\" must be numbers");
  const double sum = *a + *b;
  if (!std::isfinite(sum)) co_return failed_reply("the sum is larger than any number");
  object_writer value;
  co_return structured(value.member("sum", number_text(sum)).done());
}

task<result<service_result>> slow(request_context& request) {
  const double seconds = number_of(find_member(request.arguments(), "seconds")).value_or(2);
  if (seconds < 0 || seconds > longest_seconds) co_return failed_reply("\"seconds\" must be from 0 to 3600");
  const auto steps = static_cast<int>(std::ceil(seconds * 10));
  request.log(severity::info, "slow", R"("here we go")");
  for (int done = 1; done <= steps; ++done) {
    auto slept = co_await sleep_for(slow_step);
    if (!slept) co_return slept.error();  // cancelled
    request.progress(done, steps, "step " + std::to_string(done) + " of " + std::to_string(steps));
  }
  co_return service_result::complete(text_result("took " + number_text(seconds) + " s"));
}

task<result<service_result>> large(request_context& request) {
  const auto bytes = integer_of(find_member(request.arguments(), "bytes"));
  if (!bytes || *bytes < 0 || *bytes > max_large_bytes) co_return failed_reply("\"bytes\" must be from 0 to 67108864");
  std::string text;
  constexpr std::string_view line = "All work and no play makes a dull server. ";
  text.reserve(static_cast<std::size_t>(*bytes) + line.size());
  while (text.size() < static_cast<std::size_t>(*bytes)) text += line;
  text.resize(static_cast<std::size_t>(*bytes));
  co_return service_result::complete(text_result(text));
}

task<result<service_result>> show_structured(request_context& /*request*/) {
  co_return structured(R"({"harbour":"Kiel","berths":[{"name":"A1","free":true},{"name":"A2","free":false}]})");
}

// The first call asks for input; the second call finds the response.
task<result<service_result>> ask_name(request_context& request) {
  const std::string_view answer = request.answer("who");
  if (answer.empty()) {
    service_result question;
    question.input_requests.push_back(
        {.key = "who",
         .method = "elicitation/create",
         .params = R"({"mode":"form","message":"Who is there?","requestedSchema":{"type":"object","properties":)"
                   R"({"name":{"type":"string","title":"Name","minLength":1}},"required":["name"]}})"});
    co_return question;
  }
  const auto action = text_of(find_member(answer, "action"));
  const auto name = text_of(find_member(find_member(answer, "content"), "name"));
  if (action != "accept" || !name)
    co_return service_result::complete(text_result("You would rather not say. Hello all the same!"));
  co_return service_result::complete(text_result("Hello, " + *name + '!'));
}

task<result<service_result>> crash(request_context& /*request*/) {
  std::_Exit(crash_code);
  co_return service_result{};
}

}  // namespace

const std::vector<demo_tool>& demo_tools() {
  static const std::vector<demo_tool> tools{
      {"add",
       R"({"name":"add","title":"Add","description":"Adds two numbers; the sum comes as a value, too.",)"
       R"("inputSchema":{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},)"
       R"("required":["a","b"]},"outputSchema":{"type":"object","properties":{"sum":{"type":"number"}},)"
       R"("required":["sum"]},"annotations":{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false}})",
       add_numbers},
      {"add_tool",
       R"({"name":"add_tool","title":"Add a tool","description":"Adds a tool now; the client is told that the list has changed.",)"
       R"("inputSchema":{"type":"object","properties":{"name":{"type":"string","pattern":"^[a-z_]{1,40}$"}},)"
       R"("required":["name"]},"annotations":{"readOnlyHint":false,"destructiveHint":false}})",
       nullptr},
      {"ask",
       R"({"name":"ask","title":"Ask the user","description":"Asks the user for a name by a form, and greets.",)"
       R"("inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}})",
       ask_name},
      {"crash",
       R"({"name":"crash","title":"Crash","description":"Ends the server at once with exit code 3; there is no answer.",)"
       R"("inputSchema":{"type":"object"},"annotations":{"destructiveHint":true}})",
       crash},
      {"echo",
       R"({"name":"echo","title":"Echo","description":"Gives its text back.","inputSchema":{"type":"object",)"
       R"("properties":{"text":{"type":"string"}},"required":["text"]},)"
       R"("annotations":{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false}})",
       echo},
      {"large",
       R"({"name":"large","title":"Large result","description":"Gives a text of so many bytes.","inputSchema":)"
       R"({"type":"object","properties":{"bytes":{"type":"integer","minimum":0,"maximum":67108864}},)"
       R"("required":["bytes"]},"annotations":{"readOnlyHint":true}})",
       large},
      {"slow",
       R"({"name":"slow","title":"Slow","description":"Takes its time, reports progress every 100 ms, and can be cancelled.",)"
       R"("inputSchema":{"type":"object","properties":{"seconds":{"type":"number","minimum":0,"maximum":3600,)"
       R"("default":2}}},"annotations":{"readOnlyHint":true}})",
       slow},
      {"structured",
       R"({"name":"structured","title":"Structured result","description":"Gives a value with a schema, and the same as text.",)"
       R"("inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"harbour":{"type":"string"},)"
       R"("berths":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},)"
       R"("free":{"type":"boolean"}},"required":["name","free"]}}},"required":["harbour","berths"]},)"
       R"("annotations":{"readOnlyHint":true}})",
       show_structured},
      {"touch",
       R"({"name":"touch","title":"Touch","description":"Changes the resource demo://counter; who has subscribed to it is told.",)"
       R"("inputSchema":{"type":"object"},"annotations":{"readOnlyHint":false,"destructiveHint":false}})",
       nullptr},
  };
  return tools;
}

std::string added_tool_json(std::string_view name) {
  object_writer tool;
  tool.text("name", name).text("description", "Was added while the server ran; gives its arguments back.");
  return tool.member("inputSchema", R"({"type":"object"})").done();
}

result<service_result> call_added_tool(const request_context& request) {
  return service_result::complete(text_result(request.arguments()));
}

}  // namespace hawser::cli

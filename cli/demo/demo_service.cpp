// SPDX-License-Identifier: MIT
#include "demo_service.hpp"

#include <algorithm>
#include <array>

#include "../../runtime/library_version.hpp"
#include "../../transports/json/json_text.hpp"
#include "../../transports/json/object_writer.hpp"
#include "demo_tools.hpp"

namespace hawser::cli {

namespace {

constexpr std::string_view text_uri = "demo://text";
constexpr std::string_view binary_uri = "demo://binary";
constexpr std::string_view counter_uri = "demo://counter";
constexpr std::string_view greeting_prefix = "demo://greeting/";
constexpr std::string_view dot =  // an image of one pixel
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";
constexpr std::size_t most_added = 100;
constexpr std::size_t longest_name = 40;

constexpr std::array<std::string_view, 4> person_names{"Ada", "Alan", "Edsger", "Grace"};
constexpr std::array<std::string_view, 3> style_names{"brief", "formal", "friendly"};

std::string contents(std::string_view uri, std::string_view type, std::string_view member, std::string_view value) {
  object_writer one;
  one.text("uri", uri).text("mimeType", type).text(member, value);
  object_writer all;
  return all.member("contents", '[' + one.done() + ']').done();
}

template <std::size_t N>
std::string completion_result(const std::array<std::string_view, N>& words, std::string_view begun) {
  std::string values = "[";
  std::size_t found = 0;
  for (const std::string_view word : words) {
    const bool fits =
        word.size() >= begun.size() && std::equal(begun.begin(), begun.end(), word.begin(), [](char a, char b) {
          return (a | 0x20) == (b | 0x20);  // letters only, compared without case
        });
    if (!fits) continue;
    if (found++ > 0) values += ',';
    append_quoted(values, word);
  }
  object_writer inside;
  inside.member("values", values + ']').member("total", std::to_string(found)).member("hasMore", "false");
  object_writer result;
  return result.member("completion", inside.done()).done();
}

bool good_name(std::string_view name) {
  return !name.empty() && name.size() <= longest_name &&
         std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
}

}  // namespace

demo_service::demo_service(std::string_view name) {
  object_writer info;
  card_.info = info.text("name", name).text("version", library_version()).text("title", "Hawser's demo server").done();
  card_.instructions = "A server to try a client with. Every tool shows one feature of the protocol.";
  card_.resources = card_.resource_updates = card_.prompts = card_.completions = true;
  card_.logging = card_.lists_change = true;
}

task<result<item_list>> demo_service::list(list_kind what) {
  std::vector<std::string> all;
  switch (what) {
    case list_kind::tools:
      for (const demo_tool& tool : demo_tools()) all.emplace_back(tool.json);
      for (const std::string& name : added_) all.push_back(added_tool_json(name));
      break;
    case list_kind::resources:
      all.emplace_back(R"({"uri":"demo://binary","name":"binary","description":"A picture","mimeType":"image/png"})");
      all.emplace_back(
          R"({"uri":"demo://counter","name":"counter","description":"Changes with each call of touch","mimeType":"text/plain"})");
      all.emplace_back(R"({"uri":"demo://text","name":"text","description":"A text","mimeType":"text/plain"})");
      break;
    case list_kind::resource_templates:
      all.emplace_back(
          R"({"uriTemplate":"demo://greeting/{name}","name":"greeting","description":"A greeting","mimeType":"text/plain"})");
      break;
    case list_kind::prompts:
      all.emplace_back(R"({"name":"greet","title":"Greet","description":"Greets somebody","arguments":[)"
                       R"({"name":"name","description":"Who is greeted","required":true},)"
                       R"({"name":"style","description":"brief, formal or friendly"}]})");
      all.emplace_back(R"({"name":"tour","title":"Tour","description":"Shows a model around the tools"})");
      break;
  }
  co_return std::make_shared<const std::vector<std::string>>(std::move(all));
}

task<result<service_result>> demo_service::call_tool(request_context& request) {
  if (request.name() == "add_tool") co_return add_tool(request);
  if (request.name() == "touch") co_return touch();
  for (const demo_tool& tool : demo_tools()) {
    if (tool.name == request.name()) co_return co_await tool.run(request);
  }
  if (std::find(added_.begin(), added_.end(), request.name()) != added_.end()) co_return call_added_tool(request);
  co_return error{.code = errc::tool_unknown, .what = "no tool " + json_string(request.name())};
}

result<service_result> demo_service::add_tool(const request_context& request) {
  const std::string name = text_of(find_member(request.arguments(), "name")).value_or("");
  if (!good_name(name)) return service_result::complete(failed_result("\"name\" must be 1 to 40 of a-z and _"));
  const bool built_in =
      std::any_of(demo_tools().begin(), demo_tools().end(), [&](const demo_tool& tool) { return tool.name == name; });
  if (built_in || std::find(added_.begin(), added_.end(), name) != added_.end())
    return service_result::complete(failed_result("there is a tool " + json_string(name)));
  if (added_.size() >= most_added)
    return service_result::complete(failed_result("a hundred tools were added, and that is enough"));
  added_.push_back(name);
  notify_list_changed(list_kind::tools);
  return service_result::complete(text_result("added " + name));
}

result<service_result> demo_service::touch() {
  ++touched_;
  notify_resource_updated(counter_uri);
  return service_result::complete(text_result(std::to_string(touched_)));
}

task<result<service_result>> demo_service::read_resource(request_context& request) {
  const std::string& uri = request.name();
  if (uri == text_uri)
    co_return service_result::complete(contents(uri, "text/plain", "text", "A hawser is a thick rope.\n"));
  if (uri == binary_uri) co_return service_result::complete(contents(uri, "image/png", "blob", dot));
  if (uri == counter_uri)
    co_return service_result::complete(contents(uri, "text/plain", "text", std::to_string(touched_)));
  if (uri.starts_with(greeting_prefix) && uri.size() > greeting_prefix.size()) {
    const std::string greeting = "Hello, " + uri.substr(greeting_prefix.size()) + '!';
    co_return service_result::complete(contents(uri, "text/plain", "text", greeting));
  }
  co_return no_such_resource(uri);
}

task<result<service_result>> demo_service::get_prompt(request_context& request) {
  std::string text;
  if (request.name() == "greet") {
    const auto name = text_of(find_member(request.arguments(), "name"));
    if (!name) co_return invalid_params("the prompt \"greet\" needs the argument \"name\"");
    const auto style = text_of(find_member(request.arguments(), "style"));
    text = "Please greet " + *name + " in a " + style.value_or("friendly") + " way.";
  } else if (request.name() == "tour") {
    text = "Please call the tool echo with a text of your choice, and say what came back.";
  } else {
    co_return invalid_params("no prompt " + json_string(request.name()));
  }
  object_writer content;
  object_writer message;
  message.text("role", "user").member("content", content.text("type", "text").text("text", text).done());
  object_writer result;
  co_return service_result::complete(result.member("messages", '[' + message.done() + ']').done());
}

task<result<service_result>> demo_service::complete(request_context& request) {
  const std::string_view argument = find_member(request.params(), "argument");
  const std::string begun = text_of(find_member(argument, "value")).value_or("");
  const bool style = text_of(find_member(argument, "name")) == "style";
  co_return service_result::complete(style ? completion_result(style_names, begun)
                                           : completion_result(person_names, begun));
}

}  // namespace hawser::cli

// SPDX-License-Identifier: MIT
// The client that the official conformance suite tests: a host with one server on the network, as any user would have
// it, and a table of what each scenario wants to be done. Nothing of MCP is spoken here.
//
// The suite appends the URL of its server to the command line and says the rest in the environment.
#include <boost/json.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "../../../host/host.hpp"

namespace {

using namespace hawser;
namespace json = boost::json;

constexpr const char* server_name = "suite";

std::string text_from(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? std::string{} : std::string{value};
}

// One host, and whether everything went well so far.
class user {
 public:
  explicit user(host& of) : of_(of) {}

  [[nodiscard]] bool content() const noexcept { return content_; }

  /// A tool by the server's own name for it. A tool that says no has answered.
  void call(std::string_view tool, const json::object& arguments) { wait(tool, begin(tool, arguments)); }
  /// All at once.
  void call_together(const std::vector<std::string_view>& tools) {
    std::vector<pending<envelope>> calls;
    for (const std::string_view tool : tools) calls.push_back(begin(tool, {}));
    for (std::size_t i = 0; i < calls.size(); ++i) wait(tools[i], std::move(calls[i]));
  }
  void call_all_tools() {
    const held_tools tools = of_.tools();
    for (const tool_row* row : tools.table()) call(row->definition->name, {});
  }
  json::array list(list_kind what) {
    const std::function<task<result<json::array>>(hub&)> ask = [what](hub& h) { return h.list(server_name, what); };
    auto listed = of_.ask<json::array>(ask).get();
    complain("list", listed);
    return listed ? *std::move(listed) : json::array{};
  }
  void read(const std::string& uri) {
    const std::function<task<result<raw_json>>(hub&)> ask = [uri](hub& h) { return h.read_resource(server_name, uri); };
    complain("read " + uri, of_.ask<raw_json>(ask).get());
  }
  void prompt(const std::string& name) {
    const std::function<task<result<raw_json>>(hub&)> ask = [name](hub& h) {
      return h.get_prompt(server_name, name, "{}");
    };
    complain("get prompt " + name, of_.ask<raw_json>(ask).get());
  }
  /// As the server wrote it; null if there is no such tool.
  json::value schema_of(std::string_view tool) {
    const held_tools tools = of_.tools();
    for (const tool_row* row : tools.table()) {
      if (row->definition->name == tool) return json::parse(row->definition->input_schema);
    }
    complain("no such tool", tool);
    return nullptr;
  }

 private:
  pending<envelope> begin(std::string_view tool, const json::object& arguments) {
    const held_tools tools = of_.tools();
    for (const tool_row* row : tools.table()) {
      if (row->definition->name == tool) return tools.call(row->name, arguments);
    }
    return tools.call(tool, arguments);  // which will say that there is none
  }
  void wait(std::string_view tool, pending<envelope> answer) { complain("call " + std::string{tool}, answer.get()); }
  template <class T>
  void complain(const std::string& about, const result<T>& outcome) {
    if (!outcome) complain(about, outcome.error().what);
  }
  void complain(const std::string& about, std::string_view what) {
    std::fprintf(stderr, "%s: %.*s\n", about.c_str(), static_cast<int>(what.size()), what.data());
    content_ = false;
  }

  host& of_;
  bool content_ = true;
};

void only_connects(user& /*by*/) {}

void adds_numbers(user& by) { by.call("add_numbers", {{"a", 5}, {"b", 3}}); }

void lists_and_uses_everything(user& by) {
  by.call_all_tools();
  for (const json::value& one : by.list(list_kind::resources)) by.read(json::value_to<std::string>(one.at("uri")));
  for (const json::value& one : by.list(list_kind::prompts)) by.prompt(json::value_to<std::string>(one.at("name")));
}

void makes_the_calls_it_is_told(user& by) {
  const json::value context = json::parse(text_from("MCP_CONFORMANCE_CONTEXT"));
  for (const json::value& one : context.at("toolCalls").as_array())
    by.call(one.at("name").as_string(), one.at("arguments").as_object());
}

void sends_a_schema_back(user& by) {
  by.call("json_schema_echo", {{"schema", by.schema_of("json_schema_2020_12_tool")}});
}

void answers_in_rounds(user& by) {
  by.call_together({"test_mrtr_echo_state", "test_mrtr_unrelated", "test_mrtr_no_state"});
  by.call("test_mrtr_unrelated", {});
  by.call("test_mrtr_no_result_type", {});
}

struct scenario {
  std::string_view name;
  void (*act)(user&);
};

constexpr scenario scenarios[] = {
    {"initialize", only_connects},
    {"tools_call", adds_numbers},
    {"elicitation-sep1034-client-defaults", [](user& by) { by.call("test_client_elicitation_defaults", {}); }},
    {"sse-retry", [](user& by) { by.call("test_reconnection", {}); }},
    {"request-metadata", only_connects},
    {"http-standard-headers", lists_and_uses_everything},
    {"http-custom-headers", makes_the_calls_it_is_told},
    {"http-invalid-tool-headers", [](user& by) { by.call("valid_tool", {{"region", "west"}}); }},
    {"sep-2322-client-request-state", answers_in_rounds},
    {"json-schema-ref-no-deref", only_connects},
    {"json-schema-2020-12-preservation", sends_a_schema_back},
};

// What is not in the table: use whatever there is, which is all that most of the auth scenarios want.
void (*act_for(std::string_view name))(user&) {
  for (const scenario& one : scenarios) {
    if (one.name == name) return one.act;
  }
  return [](user& by) { by.call_all_tools(); };
}

// People who accept every form as it is, so that its defaults are what is sent, who let no model be asked, and who show
// no folder: every capability is declared.
hub_options agreeable() {
  hub_options options;
  options.input.form = [](const form_request&, reply<elicitation_answer> give) {
    give({.what = elicitation_answer::action::accept});
  };
  options.input.sampling = [](const sampling_request&, const reply<json::object>& /*dropped: declined*/) {};
  options.input.roots = [](const roots_request&, reply<std::vector<root>> give) { give({}); };
  // Every message, for whoever has to find out why a scenario fails; the suite keeps it.
  options.trace = [](std::string_view, std::string_view line) {
    std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
  };
  return options;
}

int run(std::string url) {
  server_settings server{.name = server_name, .transport = http_settings{.url = std::move(url)}};
  server.timeout = std::chrono::seconds{15};
  server.restart = restart_policy::never;
  host_settings settings;
  settings.servers.push_back(std::move(server));
  host of{std::move(settings), agreeable()};
  of.start();
  auto settled = of.settled().get();
  if (!settled) std::fprintf(stderr, "%s\n", settled.error().what.c_str());
  const server_status now = of.status().at(0);
  if (now.state != server_state::ready) {
    std::fprintf(stderr, "the server is not ready: %s\n", now.reason.c_str());
    return 1;
  }
  user somebody{of};
  act_for(text_from("MCP_CONFORMANCE_SCENARIO"))(somebody);
  of.stop();
  return somebody.content() ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    std::fprintf(stderr, "usage: conformance_client URL (the suite runs it: tests/interop/conformance_test.cpp)\n");
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  return run(words[count - 1]);
}

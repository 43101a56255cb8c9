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
#include <thread>
#include <vector>

#include "../../../host/host.hpp"
#include "../../support/fake_browser.hpp"

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

  /// As people do: looks whether the server wants a login, and logs in; the suite's pages say yes at once.
  bool arrive() {
    auto settled = of_.settled().get();
    complain("start", settled);
    // Twice, since a server may name another authorization server after the first login.
    for (int tries = 0; tries < 2 && of_.status().at(0).state == server_state::needs_auth; ++tries) log_in();
    const server_status now = of_.status().at(0);
    if (now.state != server_state::ready) complain("the server is not ready", now.reason);
    return now.state == server_state::ready;
  }
  bool log_in() {
    std::jthread browser;
    login_callbacks with{.open_browser = false};
    with.wish.timeout = std::chrono::seconds{5};
    with.show = [&browser](const login_prompt& prompt) {
      browser = std::jthread{[url = prompt.url] { testing::browse(url); }};
    };
    auto done = of_.authenticate(server_name, std::move(with)).get();
    if (!done) std::fprintf(stderr, "log in: %s\n", done.error().what.c_str());
    return done.has_value();
  }

  /// A tool by the server's own name for it. A tool that says no has answered.
  void call(std::string_view tool, const json::object& arguments) {
    complain("call " + std::string{tool}, called(tool, arguments));
  }
  /// All at once.
  void call_together(const std::vector<std::string_view>& tools) {
    std::vector<future<envelope>> calls;
    for (const std::string_view tool : tools) calls.push_back(begin(tool, {}));
    for (std::size_t i = 0; i < calls.size(); ++i) wait(tools[i], std::move(calls[i]));
  }
  void call_all_tools() {
    const tool_snapshot tools = of_.tools();
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
    const tool_snapshot tools = of_.tools();
    for (const tool_row* row : tools.table()) {
      if (row->definition->name == tool) return json::parse(row->definition->input_schema);
    }
    complain("no such tool", tool);
    return nullptr;
  }

 private:
  future<envelope> begin(std::string_view tool, const json::object& arguments) {
    const tool_snapshot tools = of_.tools();
    for (const tool_row* row : tools.table()) {
      if (row->definition->name == tool) return tools.call(row->name, arguments);
    }
    return tools.call(tool, arguments);  // which will say that there is none
  }
  void wait(std::string_view tool, future<envelope> answer) { complain("call " + std::string{tool}, answer.get()); }
  // What a login does not include yet is asked for, and the call made again, as long as that is of any use.
  result<envelope> called(std::string_view tool, const json::object& arguments) {
    auto answer = begin(tool, arguments).get();
    while (!answer && answer.error().code == errc::auth && log_in()) answer = begin(tool, arguments).get();
    return answer;
  }
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

// People who accept every form as it is shown to them, with its defaults, who let no model be asked, and who show no
// folder: every capability is declared.
hub_options agreeable() {
  hub_options options;
  options.input.form = [](const form_request& form, reply<elicitation_answer> give) {
    give({.what = elicitation_answer::action::accept, .content = form.prefilled()});
  };
  options.input.sampling = [](const sampling_request&, const reply<json::object>& /*dropped: declined*/) {};
  options.input.roots = [](const roots_request&, reply<std::vector<root>> give) { give({}); };
  // Every message, for whoever has to find out why a scenario fails; the suite keeps it.
  options.trace = [](std::string_view, std::string_view line) {
    std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
  };
  return options;
}

// What the suite says of clients that did not have to register, as a user would have it in his settings.
oauth_settings login_settings() {
  oauth_settings login;
  login.client_document = "https://conformance-test.local/client-metadata.json";
  const std::string said = text_from("MCP_CONFORMANCE_CONTEXT");
  if (said.empty()) return login;
  const json::object context = json::parse(said).as_object();
  const auto text = [&](std::string_view name) {
    const json::value* value = context.if_contains(name);
    return value != nullptr && value->is_string() ? json::value_to<std::string>(*value) : std::string{};
  };
  login.client_id = text("client_id");
  login.client_secret = text("client_secret");
  login.issuer = text("issuer");
  login.private_key = text("private_key_pem");
  login.algorithm = text("signing_algorithm");
  if (text_from("MCP_CONFORMANCE_SCENARIO").starts_with("auth/client-credentials"))
    login.grant = oauth_settings::grant_kind::client_credentials;
  return login;
}

int run(std::string url) {
  http_settings remote{.url = std::move(url)};
  remote.oauth = login_settings();
  server_settings server{.name = server_name, .transport = std::move(remote)};
  server.timeout = std::chrono::seconds{15};
  server.restart = restart_policy::never;
  host_settings settings;
  settings.servers.push_back(std::move(server));
  host of{std::move(settings), agreeable()};
  if (const auto started = of.start(); !started) {
    std::fprintf(stderr, "%s\n", started.error().what.c_str());
    return 1;
  }
  user somebody{of};
  if (somebody.arrive()) act_for(text_from("MCP_CONFORMANCE_SCENARIO"))(somebody);
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

// SPDX-License-Identifier: MIT
#include "find_tool.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "../../runtime/redaction.hpp"
#include "../../transports/json/json_text.hpp"
#include "nearest_names.hpp"

namespace hawser::cli {

namespace {

// The limit for server names in an error message.
constexpr std::size_t most_servers_named = 5;

std::optional<found_tool> look(const command_context& e, const std::string& name, const std::string& server) {
  const table_ref held = e.servers.tools();
  const tool_row* row = nullptr;
  if (server.empty()) {
    row = held->find(name);
  } else {
    const auto is_it = [&](const tool_row* one) { return one->server_name == server && one->definition->name == name; };
    const auto found = std::ranges::find_if(*held, is_it);
    row = found != held->end() ? *found : nullptr;
  }
  if (row == nullptr) return std::nullopt;
  return found_tool{.name = std::string{row->name}, .input_schema = std::string{row->definition->input_schema}};
}

bool could_have(const command_context& e, const std::string& server, const std::string& name) {
  return could_expose(e.config.settings.names, server, name);
}

// A server's tools are known only after it was started, in this run or an earlier one.
bool was_listed(const server_status& of) { return !of.negotiated.revision.empty(); }

std::string names_in_words(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < most_servers_named; ++i)
    text.append(text.empty() ? "" : ", ").append(names[i]);
  return names.size() > most_servers_named ? text + ", ..." : text;
}

// Tools with similar names, or that a server calls by this name.
std::string nearest_tools(const command_context& e, const std::string& name, const std::string& server) {
  nearest_names near{name};
  const table_ref held = e.servers.tools();
  for (const tool_row* row : *held) {
    if (server.empty()) {
      near.consider(row->name, row->definition->name);
    } else if (row->server_name == server) {
      near.consider(row->definition->name);
    }
  }
  return e.home.redactions()->apply(suggestion(near.best()));  // names come from servers
}

// Why a server that could have the tool does not provide it.
std::string why_not(const command_context& e, const server_status& of, const std::string& name,
                    const std::string& server) {
  const std::string who = "; server " + json_string(of.name);
  if (!of.enabled) return who + ", which could have it, is disabled: " + of.advice;
  for (const omitted_tool& one : of.omitted) {
    const bool is_it =
        server.empty() ? exposed_name(e.config.settings.names, of.name, one.tool) == name : one.tool == name;
    if (is_it) return who + " lists it, but it cannot be used: " + one.what;
  }
  return {};
}

// Whether the servers that could have the tool were listed during this command.
enum class knowledge : std::uint8_t { remembered, fresh };

// After a question mark, the hint starts a new sentence.
void append_hint(std::string& text, const std::string& hint) { text += (text.ends_with('?') ? " " : "; ") + hint; }

error unknown_name(const command_context& e, const std::string& name, const std::string& server, knowledge known) {
  error why{.code = errc::tool_unknown, .what = "no tool is named " + json_string(name)};
  if (!server.empty()) why.what = "server " + json_string(server) + " has no tool " + json_string(name);
  std::string reasons;
  std::vector<std::string> owners;
  std::vector<std::string> unlisted;
  for (const server_status& one : e.servers.status()) {
    const bool possible = server.empty() ? could_have(e, one.name, name) : one.name == server;
    if (possible) reasons += why_not(e, one, name, server);
    if (one.enabled && possible) owners.push_back(one.name);
    if (one.enabled && !was_listed(one)) unlisted.push_back(one.name);
  }
  for (const std::string& one : e.config.refused_servers) {
    if (!server.empty() || !could_have(e, one, name)) continue;
    reasons +=
        "; server " + json_string(one) +
        ", which could have it, is left out, since its configuration has errors: " + e.config.refusal_reason(one);
    why.code = errc::config;
  }
  why.what += reasons.empty() ? nearest_tools(e, name, server) : reasons;
  if (!server.empty() || !reasons.empty()) return why;
  if (!unlisted.empty()) {
    append_hint(why.what, "never listed so far: " + names_in_words(unlisted) + " (hawser tools lists them)");
  } else if (owners.empty()) {
    append_hint(why.what, "hawser tools lists all");
  } else {
    append_hint(why.what, "hawser tools " + owners.front() +
                              (known == knowledge::fresh ? " lists what it has" : " asks that server again"));
  }
  return why;
}

// The servers to ask if the name is not cached.
result<std::vector<std::string>> servers_to_ask(const command_context& e, const std::string& name,
                                                const std::string& server) {
  const auto all = e.servers.status();
  if (!server.empty() || all.empty()) return select_servers(e, server);
  std::vector<std::string> names;
  for (const server_status& one : all) {
    if (one.enabled && could_have(e, one.name, name) && !was_listed(one)) names.push_back(one.name);
  }
  return names;
}

}  // namespace

task<result<found_tool>> find_tool(command_context& e, std::string name, std::string server) {
  if (auto known = look(e, name, server)) co_return *std::move(known);
  const auto asked = servers_to_ask(e, name, server);
  if (!asked) co_return asked.error();
  if (asked->empty()) co_return unknown_name(e, name, server, knowledge::remembered);
  const auto outcomes = co_await start_servers(e, *asked, readiness::listed);
  if (!outcomes) co_return outcomes.error();
  if (auto found = look(e, name, server)) co_return *std::move(found);
  // Then the result is not certain: the tool may belong to the server that could not be asked.
  std::optional<error> failure;
  for (const auto& one : *outcomes) {
    if (one) continue;
    if (failure) print_error(e.screen.err, *failure);
    failure = one.error();
  }
  if (!failure) co_return unknown_name(e, name, server, knowledge::fresh);
  if (failure->phase == "start") failure->code = errc::server_gone;
  co_return *std::move(failure);
}

}  // namespace hawser::cli

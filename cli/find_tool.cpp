// SPDX-License-Identifier: MIT
#include "find_tool.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "../transports/json_text.hpp"

namespace hawser::cli {

namespace {

// As names are cleaned, roughly: this only decides who is asked first.
char cleaned(char c) noexcept {
  const bool clean = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  return clean ? c : '_';
}

std::optional<found_tool> look(const errand& e, const std::string& name, const std::string& server) {
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

error unknown(const errand& e, const std::string& name, const std::string& server) {
  error why{.code = errc::tool_unknown, .what = "no tool is named " + json_string(name)};
  if (!server.empty()) why.what = "server " + json_string(server) + " has no tool " + json_string(name);
  const table_ref held = e.servers.tools();
  std::string others;
  for (const tool_row* row : *held) {
    if (row->definition->name == name) others.append(others.empty() ? "" : " or ").append(row->name);
  }
  why.what += others.empty() ? "; hawser tools lists all" : "; did you mean " + others + "?";
  return why;
}

}  // namespace

bool is_likely_owner(std::string_view server, std::string_view tool) noexcept {
  if (server.empty() || server.size() > tool.size()) return false;
  return std::ranges::equal(server, tool.substr(0, server.size()),
                            [](char a, char b) { return cleaned(a) == cleaned(b); });
}

task<result<found_tool>> find_tool(errand& e, std::string name, std::string server) {
  if (auto known = look(e, name, server)) co_return *std::move(known);
  auto names = wanted_servers(e, server);
  if (!names) co_return std::move(names).error();
  std::array<std::vector<std::string>, 2> groups;  // who is likely to have it, and the others
  for (std::string& one : *names) groups.at(is_likely_owner(one, name) ? 0 : 1).push_back(std::move(one));
  std::size_t failed = 0;
  for (const auto& group : groups) {
    if (group.empty()) continue;
    const auto ready = co_await started(e, group);
    if (!ready) co_return ready.error();
    failed += group.size() - ready->size();
    if (auto found = look(e, name, server)) co_return *std::move(found);
  }
  error why = unknown(e, name, server);
  // Then nobody knows: it may be a tool of the server that could not be asked.
  if (failed > 0) why.code = errc::server_gone;
  co_return why;
}

}  // namespace hawser::cli

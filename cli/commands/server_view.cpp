// SPDX-License-Identifier: MIT
#include "server_view.hpp"

#include <boost/json.hpp>

namespace hawser::cli {

namespace {

namespace json = boost::json;

text_style colour_of(server_state state) noexcept {
  switch (state) {
    case server_state::ready: return text_style::green;
    case server_state::starting: return text_style::cyan;
    case server_state::degraded:
    case server_state::needs_auth: return text_style::yellow;
    case server_state::failed: return text_style::red;
    case server_state::stopped: break;
  }
  return text_style::dim;
}

void put(json::object& to, std::string_view name, const std::string& text) {
  if (!text.empty()) to.emplace(name, text);
}

// Before the first connection, 0 means unknown.
bool knows_tools(const server_status& of) { return of.tools > 0 || !of.negotiated.revision.empty(); }

}  // namespace

cell state_cell(const server_status& of) {
  if (!of.enabled) return {.text = safe_text{"disabled"}, .colour = text_style::dim};
  return {.text = escaped(to_string(of.state)), .colour = colour_of(of.state)};
}

cell tools_cell(const server_status& of) {
  if (!knows_tools(of)) return {.text = safe_text{"-"}};
  return {.text = decimal(static_cast<std::int64_t>(of.tools))};
}

json::object to_json(const server_status& of) {
  json::object all{{"name", of.name}, {"state", to_string(of.state)}};
  put(all, "reason", of.reason);
  put(all, "advice", of.advice);
  put(all, "phase", of.phase);
  put(all, "transport", of.transport);
  put(all, "target", of.target);
  put(all, "origin", of.origin);
  all.emplace("enabled", of.enabled);
  all.emplace("lazy", of.lazy);
  if (knows_tools(of)) all.emplace("tools", of.tools);
  all.emplace("refused", of.refused);
  if (!of.omitted.empty()) {
    json::array left_out;
    for (const omitted_tool& one : of.omitted) left_out.push_back(json::object{{"tool", one.tool}, {"what", one.what}});
    all.emplace("left_out", std::move(left_out));
  }
  all.emplace("restarts", of.restarts);
  put(all, "revision", of.negotiated.revision);
  if (!of.negotiated.server.name.empty()) {
    json::object server{{"name", of.negotiated.server.name}};
    put(server, "version", of.negotiated.server.version);
    put(server, "title", of.negotiated.server.title);
    all.emplace("server", std::move(server));
  }
  if (of.pid != 0) all.emplace("pid", of.pid);
  return all;
}

std::string shown_name(const tool_row& of, const redaction& secrets) {
  if (!secrets.matches(of.definition->name)) return secrets.apply(of.name);
  const std::string own = secrets.apply(of.definition->name);
  return of.server_name.empty() ? own : std::string{of.server_name} + "__" + own;
}

}  // namespace hawser::cli

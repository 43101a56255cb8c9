// SPDX-License-Identifier: MIT
#include "server_view.hpp"

#include <boost/json.hpp>

namespace hawser::cli {

namespace {

namespace json = boost::json;

ink colour_of(server_state state) noexcept {
  switch (state) {
    case server_state::ready: return ink::green;
    case server_state::starting: return ink::cyan;
    case server_state::degraded:
    case server_state::needs_auth: return ink::yellow;
    case server_state::failed: return ink::red;
    case server_state::stopped: break;
  }
  return ink::dim;
}

void put(json::object& to, std::string_view name, const std::string& text) {
  if (!text.empty()) to.emplace(name, text);
}

}  // namespace

cell state_cell(const server_status& of) {
  if (!of.enabled) return {.text = safe_text{"disabled"}, .colour = ink::dim};
  return {.text = escaped(to_string(of.state)), .colour = colour_of(of.state)};
}

cell tools_cell(const server_status& of) {
  // Before the first connection, 0 means unknown.
  if (of.tools == 0 && of.agreed.revision.empty()) return {.text = safe_text{"-"}};
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
  all.emplace("tools", of.tools);
  all.emplace("refused", of.refused);
  if (!of.left_out.empty()) {
    json::array left_out;
    for (const left_out_tool& one : of.left_out)
      left_out.push_back(json::object{{"tool", one.tool}, {"what", one.what}});
    all.emplace("left_out", std::move(left_out));
  }
  all.emplace("restarts", of.restarts);
  put(all, "revision", of.agreed.revision);
  if (!of.agreed.server.name.empty()) {
    json::object server{{"name", of.agreed.server.name}};
    put(server, "version", of.agreed.server.version);
    put(server, "title", of.agreed.server.title);
    all.emplace("server", std::move(server));
  }
  if (of.pid != 0) all.emplace("pid", of.pid);
  return all;
}

}  // namespace hawser::cli

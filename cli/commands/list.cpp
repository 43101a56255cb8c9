// SPDX-License-Identifier: MIT
// `hawser list`: the configured servers and their last known status. Starts no server.
#include <boost/json.hpp>

#include "command_context.hpp"
#include "commands.hpp"
#include "server_view.hpp"

namespace hawser::cli {

namespace {

// The state shown for a refused entry, for which there is no server.
constexpr const char* invalid_state = "invalid";

void print_server_table(command_context& e, const std::vector<server_status>& servers) {
  if (servers.empty() && e.config.refused_servers.empty()) {
    e.screen.err.line(escaped(no_servers_text(e)));
    return;
  }
  table rows{"NAME", "STATE", "TOOLS", "TRANSPORT", "TARGET"};
  for (const server_status& one : servers) {
    const bool idle = one.enabled && one.state == server_state::stopped;
    rows.add({{escaped(one.name), text_style::bold},
              idle ? cell{.text = safe_text{"enabled"}} : state_cell(one),
              tools_cell(one),
              {escaped(one.transport)},
              {escaped(one.target, whole_line)}});
  }
  for (const std::string& name : e.config.refused_servers) {
    rows.add({{escaped(name), text_style::bold},
              {safe_text{invalid_state}, text_style::red},
              {safe_text{"-"}},
              {safe_text{"-"}},
              {escaped(e.config.refusal_reason(name), whole_line)}});
  }
  rows.print_to(e.screen.out);
}

task<result<exit_code>> list_servers(command_context& e) {
  const auto servers = e.servers.status();
  record_refused_servers(e);
  if (e.options.json) {
    boost::json::array all;
    for (const server_status& one : servers) all.push_back(to_json(one));
    for (const std::string& name : e.config.refused_servers) {
      boost::json::object entry{{"name", name}, {"state", invalid_state}, {"reason", e.config.refusal_reason(name)}};
      all.push_back(std::move(entry));
    }
    const boost::json::object document{{"servers", std::move(all)}};
    print_document(e, boost::json::serialize(document));
  } else {
    print_server_table(e, servers);
  }
  co_return e.config.refused_servers.empty() ? exit_code::ok : exit_code::config;
}

}  // namespace

int list_command(terminal& screen, const common_options& options) {
  return run_command(screen, options, {.work = list_servers});
}

}  // namespace hawser::cli

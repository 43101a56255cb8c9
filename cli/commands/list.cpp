// SPDX-License-Identifier: MIT
// `hawser list`: what is configured and what was last known of it. Starts nothing.
#include <boost/json.hpp>

#include "../errand.hpp"
#include "../server_view.hpp"
#include "commands.hpp"

namespace hawser::cli {

namespace {

void print_server_table(errand& e, const std::vector<server_status>& servers) {
  if (servers.empty()) {
    e.screen.err.line(escaped(no_servers_text(e)));
    return;
  }
  table rows{"NAME", "STATE", "TOOLS", "TRANSPORT", "TARGET"};
  for (const server_status& one : servers) {
    const bool idle = one.enabled && one.state == server_state::stopped;
    rows.add({{escaped(one.name), ink::bold},
              idle ? cell{.text = safe_text{"enabled"}} : state_cell(one),
              tools_cell(one),
              {escaped(one.transport)},
              {escaped(one.target)}});
  }
  rows.print_to(e.screen.out);
}

task<result<exit_code>> list_servers(errand& e) {
  const auto servers = e.servers.status();
  if (e.options.json) {
    boost::json::array all;
    for (const server_status& one : servers) all.push_back(to_json(one));
    const boost::json::object document{{"servers", std::move(all)}};
    print_document(e, boost::json::serialize(document));
  } else {
    print_server_table(e, servers);
  }
  co_return exit_code::ok;
}

}  // namespace

int list_command(terminal& screen, const common_options& options) {
  return run_errand(screen, options, {.work = list_servers});
}

}  // namespace hawser::cli

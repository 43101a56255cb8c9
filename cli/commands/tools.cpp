// SPDX-License-Identifier: MIT
// `hawser tools`: the tools of all servers, or of one.

#include "../../transports/json_text.hpp"
#include "../errand.hpp"
#include "../table.hpp"
#include "commands.hpp"

namespace hawser::cli {

namespace {

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

void print_tool_table(output& to, const std::vector<const tool_row*>& rows) {
  table all{"TOOL", "SERVER", "DESCRIPTION"};
  for (const tool_row* row : rows) {
    const tool& said = *row->definition;
    all.add({{escaped(row->name), ink::bold},
             {escaped(row->server_name)},
             {escaped(first_line(said.description.empty() ? said.title : said.description))}});
  }
  all.print_to(to);
}

// The definitions are printed as they were sent: nothing that a server says is lost.
void print_tools_json(output& to, const std::vector<const tool_row*>& rows) {
  std::string document = "{\"tools\":[";
  for (const tool_row* row : rows) {
    if (!document.ends_with('[')) document += ',';
    document.append("{\"name\":").append(json_string(row->name));
    document.append(",\"server\":").append(json_string(row->server_name));
    document.append(",\"definition\":")
        .append(row->definition->json.empty() ? "{}" : row->definition->json)
        .append("}");
  }
  document += "]}";
  to.line(escaped_json(document));
}

task<result<exit_code>> list_tools(errand& e, const server_options& options) {
  const auto names = wanted_servers(e, options.server);
  if (!names) co_return names.error();
  const auto ready = co_await started(e, *names);
  if (!ready) co_return ready.error();
  const table_ref held = e.servers.tools();
  std::vector<const tool_row*> rows;
  for (const tool_row* row : *held) {
    if (options.server.empty() || row->server_name == options.server) rows.push_back(row);
  }
  if (options.json) {
    print_tools_json(e.screen.out, rows);
  } else if (!rows.empty()) {
    print_tool_table(e.screen.out, rows);
  }
  co_return ready->size() == names->size() ? exit_code::ok : exit_code::unreachable;
}

}  // namespace

int tools_command(terminal& screen, const server_options& options) {
  return run_errand(screen, options, {.work = [&](errand& e) { return list_tools(e, options); }});
}

}  // namespace hawser::cli

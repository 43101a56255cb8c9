// SPDX-License-Identifier: MIT
// `hawser tools`: lists the tools of all servers, or of one.
#include <set>

#include "../../runtime/redaction.hpp"
#include "../../transports/json/json_text.hpp"
#include "../../transports/redacted_json.hpp"
#include "../terminal/table.hpp"
#include "command_context.hpp"
#include "commands.hpp"
#include "server_view.hpp"

namespace hawser::cli {

namespace {

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

// A server may repeat secrets that it was given in whatever it says of its tools.
void print_tool_table(output& to, const redaction& secrets, const std::vector<const tool_row*>& rows) {
  table all{"TOOL", "SERVER", "DESCRIPTION"};
  for (const tool_row* row : rows) {
    const tool& said = *row->definition;
    const std::string description = secrets.apply(said.description.empty() ? said.title : said.description);
    all.add({{escaped(shown_name(*row, secrets), whole_line), text_style::bold},
             {escaped(row->server_name)},
             {escaped(first_line(description), whole_line)}});
  }
  all.print_to(to);
}

// The tools that a server lists but that cannot be called.
void print_left_out(output& to, const server_status& of) {
  const std::string who = "server " + json_string(of.name) + ": ";
  for (const omitted_tool& one : of.omitted)
    to.line({styled(text_style::yellow, "hawser: left out: "), escaped(who), escaped(one.what, to.line_limits())});
  constexpr std::size_t described = 100;
  if (of.omitted.size() >= described && of.refused > of.omitted.size())
    to.line({styled(text_style::yellow, "hawser: left out: "), escaped(who), "more tools than these"});
}

void append_left_out(std::string& document, const server_status& of) {
  for (const omitted_tool& one : of.omitted) {
    if (!document.ends_with('[')) document += ',';
    document.append("{\"server\":").append(json_string(of.name));
    document.append(",\"tool\":").append(json_string(one.tool));
    document.append(",\"what\":").append(json_string(one.what)).append("}");
  }
}

// The definitions are printed as sent except for secrets, so that nothing is lost.
void print_tools_json(command_context& e, const std::vector<const tool_row*>& rows,
                      const std::vector<server_status>& servers) {
  const redaction& secrets = *e.home.redactions();
  std::string document = "{\"tools\":[";
  for (const tool_row* row : rows) {
    if (!document.ends_with('[')) document += ',';
    document.append("{\"name\":").append(json_string(shown_name(*row, secrets)));
    document.append(",\"server\":").append(json_string(row->server_name));
    document.append(",\"definition\":")
        .append(row->definition->json.empty() ? "{}" : redacted_json(secrets, row->definition->json))
        .append("}");
  }
  document += "],\"left_out\":[";
  for (const server_status& one : servers) append_left_out(document, one);
  document += "]}";
  print_document(e, std::move(document));
}

// Only for servers that answered: the cached tools of other servers may be outdated.
task<result<exit_code>> list_tools(command_context& e, const server_options& options) {
  const auto asked = co_await start_and_report(e, options.server, readiness::listed);
  if (!asked) co_return asked.error();
  const std::set<std::string_view> ready{asked->ready.begin(), asked->ready.end()};
  const table_ref held = e.servers.tools();
  std::vector<const tool_row*> rows;
  for (const tool_row* row : *held) {
    if (ready.contains(row->server_name)) rows.push_back(row);
  }
  std::vector<server_status> servers = e.servers.status();
  std::erase_if(servers, [&](const server_status& one) { return !ready.contains(one.name); });
  if (options.json) {
    print_tools_json(e, rows, servers);
  } else {
    if (!rows.empty()) print_tool_table(e.screen.out, *e.home.redactions(), rows);
    if (!options.quiet) {
      for (const server_status& one : servers) print_left_out(e.screen.err, one);
    }
  }
  co_return asked->code;
}

}  // namespace

int tools_command(terminal& screen, const server_options& options) {
  command_plan plan;
  plan.work = [&](command_context& e) { return list_tools(e, options); };
  plan.timeout_applies_to = command_plan::timeout_scope::each_server;
  plan.subject = command_subject::server_or_all(options.server);
  return run_command(screen, options, std::move(plan));
}

}  // namespace hawser::cli

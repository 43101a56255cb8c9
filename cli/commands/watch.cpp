// SPDX-License-Identifier: MIT
// `hawser watch`: starts all servers and shows changes: on a terminal as a table that is redrawn, otherwise as one
// line per change.
#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <set>

#include "../../runtime/async/event.hpp"
#include "../../runtime/async/sleep.hpp"
#include "command_context.hpp"
#include "commands.hpp"
#include "server_view.hpp"

namespace hawser::cli {

namespace {

namespace json = boost::json;

// The last displayed state, to find changes.
struct seen {
  std::map<std::string, std::string> servers{};  // server status as JSON, by name
  std::set<std::string> tools{};
};

std::set<std::string> tool_names(const command_context& e) {
  std::set<std::string> names;
  const table_ref held = e.servers.tools();
  for (const tool_row* row : *held) names.insert(shown_name(*row, *e.home.redactions()));
  return names;
}

// Prints at most `lines` names, to fit the rest of the screen.
void print_tools(output& to, const std::set<std::string>& names, std::size_t lines) {
  to.line({});
  to.line({styled(text_style::bold, "TOOLS "), decimal(static_cast<std::int64_t>(names.size()))});
  std::size_t printed = 0;
  for (const std::string& name : names) {
    if (printed++ == lines) break;
    to.line(escaped(name).fitted(to.width().value_or(80)));
  }
  if (names.size() > lines) to.line("...");
}

void draw(command_context& e) {
  output& to = e.screen.out;
  const auto servers = e.servers.status();
  to.clear_screen();
  table rows{"NAME", "STATE", "TOOLS", "REVISION", "REASON"};
  for (const server_status& one : servers) {
    rows.add({{escaped(one.name), text_style::bold},
              state_cell(one),
              tools_cell(one),
              {escaped(one.negotiated.revision)},
              {escaped(one.reason)}});
  }
  rows.print_to(to);
  const std::size_t taken = servers.size() + 6;
  const std::size_t height = to.height().value_or(24);
  print_tools(to, tool_names(e), height > taken ? height - taken : 0);
}

void tell_server(const command_context& e, const server_status& of, const json::object& as_json) {
  output& to = e.screen.out;
  if (e.options.json) {
    to.line(escaped_json(json::serialize(json::object{{"server", as_json}})));
    return;
  }
  to.print({escaped(of.name), ": ", state_cell(of).text, ", ", tools_cell(of).text, " tools"});
  if (!of.reason.empty()) to.print({" (", escaped(of.reason), ")"});
  to.line({});
}

void tell_tool(const command_context& e, const std::string& name, bool there) {
  output& to = e.screen.out;
  if (e.options.json) {
    to.line(escaped_json(json::serialize(json::object{{"tool", name}, {"there", there}})));
  } else {
    to.line({there ? safe_text{"+ "} : safe_text{"- "}, escaped(name)});
  }
}

void tell_changes(const command_context& e, seen& before) {
  for (const server_status& one : e.servers.status()) {
    const json::object as_json = to_json(one);
    std::string text = json::serialize(as_json);
    std::string& known = before.servers[one.name];
    if (known == text) continue;
    known = std::move(text);
    tell_server(e, one, as_json);
  }
  std::set<std::string> now = tool_names(e);
  for (const std::string& name : before.tools) {
    if (!now.contains(name)) tell_tool(e, name, false);
  }
  for (const std::string& name : now) {
    if (!before.tools.contains(name)) tell_tool(e, name, true);
  }
  before.tools = std::move(now);
}

task<result<exit_code>> watch(command_context& e, event& changed) {
  constexpr auto a_burst = std::chrono::milliseconds{50};  // changes within this time are shown together
  const auto names = select_servers(e, {});
  if (!names) co_return names.error();
  const bool drawn = e.screen.out.is_terminal() && !e.options.json;
  seen before;
  while (true) {
    changed.reset();
    if (drawn) {
      draw(e);
    } else {
      tell_changes(e, before);
    }
    auto shown = co_await e.screen.out.flush();
    if (!shown) co_return std::move(shown).error();
    auto waited = co_await changed.wait();
    if (!waited) co_return std::move(waited).error();
    auto paused = co_await sleep_for(a_burst);
    if (!paused) co_return std::move(paused).error();
  }
}

}  // namespace

int watch_command(terminal& screen, const common_options& options) {
  event changed;
  command_plan plan;
  plan.work = [&](command_context& e) { return watch(e, changed); };
  plan.starts = command_plan::server_start::all;
  plan.ends = command_plan::ending::on_interrupt;
  plan.on_change = [&](const host_change&) { changed.set(); };
  return run_command(screen, options, std::move(plan));
}

}  // namespace hawser::cli

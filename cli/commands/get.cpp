// SPDX-License-Identifier: MIT
// `hawser get`: starts one server and shows its info and status.
#include <boost/json.hpp>

#include "command_context.hpp"
#include "commands.hpp"
#include "server_view.hpp"

namespace hawser::cli {

namespace {

void print_row(output& to, text_piece title, const std::string& text) {
  if (!text.empty()) to.line({styled(text_style::bold, title), escaped(text, to.line_limits())});
}

std::string abilities(const server_capabilities& can) {
  std::string all;
  const auto add = [&](bool has, const char* name) {
    if (has) all.append(all.empty() ? "" : ", ").append(name);
  };
  add(can.tools, "tools");
  add(can.resources, "resources");
  add(can.subscribe, "subscriptions");
  add(can.prompts, "prompts");
  add(can.completions, "completions");
  add(can.logging, "logging");
  return all;
}

void print_text(output& to, const server_status& of) {
  const cell state = state_cell(of);
  print_row(to, "name          ", of.name);
  to.line({styled(text_style::bold, "state         "), styled(state.colour, state.text)});
  print_row(to, "reason        ", of.reason);
  print_row(to, "what to do    ", of.advice);
  print_row(to, "transport     ", of.transport);
  print_row(to, "target        ", of.target);
  print_row(to, "configured in ", of.origin);
  print_row(to, "revision      ", of.negotiated.revision);
  const implementation& who = of.negotiated.server;
  print_row(to, "server        ", who.name.empty() ? std::string{} : who.name + " " + who.version);
  print_row(to, "title         ", who.title);
  print_row(to, "offers        ", abilities(of.negotiated.can));
  if (!of.negotiated.revision.empty()) to.line({styled(text_style::bold, "tools         "), tools_cell(of).text});
  if (of.refused > 0) {
    to.line({styled(text_style::bold, "left out      "), decimal(static_cast<std::int64_t>(of.refused)), " tools"});
    for (const omitted_tool& one : of.omitted) to.line({"  ", escaped(one.what, to.line_limits())});
  }
  if (!of.negotiated.instructions.empty()) {
    to.line({styled(text_style::bold, "instructions")});
    to.text_lines(of.negotiated.instructions, some_lines);
  }
}

void print_server_json(command_context& e, const server_status& of) {
  boost::json::object all = to_json(of);
  if (!of.negotiated.instructions.empty()) all.emplace("instructions", of.negotiated.instructions);
  const auto capabilities = raw_json{of.negotiated.capabilities}.parse();
  if (capabilities) all.emplace("capabilities", *capabilities);
  print_document(e, boost::json::serialize(all));
}

task<result<exit_code>> get_server(command_context& e, const server_options& options) {
  const auto before = e.servers.status(options.server);
  exit_code code = exit_code::ok;
  if (!before || before->enabled) {
    const auto asked = co_await start_and_report(e, options.server, readiness::listed);
    if (!asked) co_return asked.error();
    code = asked->code;
  }
  const auto status = e.servers.status(options.server);
  if (status && options.json) print_server_json(e, *status);
  if (status && !options.json) print_text(e.screen.out, *status);
  co_return code;
}

}  // namespace

int get_command(terminal& screen, const server_options& options) {
  command_plan plan;
  plan.work = [&](command_context& e) { return get_server(e, options); };
  plan.timeout_applies_to = command_plan::timeout_scope::each_server;
  plan.subject = command_subject::server_or_all(options.server);
  return run_command(screen, options, std::move(plan));
}

}  // namespace hawser::cli

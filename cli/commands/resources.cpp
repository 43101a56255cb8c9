// SPDX-License-Identifier: MIT
// `hawser resources`: lists the resources and resource templates of the servers.
#include <boost/json.hpp>

#include "../terminal/table.hpp"
#include "command_context.hpp"
#include "commands.hpp"
#include "find_owner.hpp"

namespace hawser::cli {

namespace {

namespace json = boost::json;

void add_rows(table& to, const server_lists& lists, list_kind what) {
  const std::string_view address = what == list_kind::resources ? "uri" : "uriTemplate";
  for (const server_list& one : lists.all) {
    if (one.what != what) continue;
    for (const json::value& element : one.elements) {
      const std::string title = string_member(element, "title");
      to.add({{escaped(string_member(element, address), whole_line), text_style::bold},
              {escaped(one.server)},
              {escaped(string_member(element, "mimeType"), whole_line)},
              {escaped(title.empty() ? string_member(element, "name") : title, whole_line)}});
    }
  }
}

json::array as_json(server_lists& lists, list_kind what) {
  json::array all;
  for (server_list& one : lists.all) {
    if (one.what != what) continue;
    for (json::value& element : one.elements) {
      json::object shown{{"server", one.server}, {"definition", std::move(element)}};
      all.push_back(std::move(shown));
    }
  }
  return all;
}

task<result<exit_code>> list_resources(command_context& e, const server_options& options) {
  std::vector<list_kind> kinds{list_kind::resources, list_kind::resource_templates};
  auto lists = co_await read_lists(e, options.server, std::move(kinds));
  if (!lists) co_return std::move(lists).error();
  redact(e, *lists);
  if (options.json) {
    const json::object document{{"resources", as_json(*lists, list_kind::resources)},
                                {"templates", as_json(*lists, list_kind::resource_templates)}};
    print_document(e, json::serialize(document));
  } else {
    table rows{"URI", "SERVER", "TYPE", "TITLE"};
    add_rows(rows, *lists, list_kind::resources);
    add_rows(rows, *lists, list_kind::resource_templates);
    if (!rows.empty()) rows.print_to(e.screen.out);
  }
  co_return lists->code;
}

}  // namespace

int resources_command(terminal& screen, const server_options& options) {
  command_plan plan;
  plan.work = [&](command_context& e) { return list_resources(e, options); };
  plan.timeout_applies_to = command_plan::timeout_scope::each_server;
  plan.subject = command_subject::server_or_all(options.server);
  return run_command(screen, options, std::move(plan));
}

}  // namespace hawser::cli

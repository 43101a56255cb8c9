// SPDX-License-Identifier: MIT
// `hawser resources`: what servers offer for reading, and the templates of what else they could.
#include <boost/json.hpp>

#include "../errand.hpp"
#include "../find_owner.hpp"
#include "../table.hpp"
#include "commands.hpp"

namespace hawser::cli {

namespace {

namespace json = boost::json;

void add_rows(table& to, const server_lists& lists, std::string_view address) {
  for (const server_list& one : lists.all) {
    for (const json::value& element : one.elements) {
      const std::string title = text_in(element, "title");
      to.add({{escaped(text_in(element, address)), ink::bold},
              {escaped(one.server)},
              {escaped(text_in(element, "mimeType"))},
              {escaped(title.empty() ? text_in(element, "name") : title)}});
    }
  }
}

json::array as_json(server_lists&& lists) {
  json::array all;
  for (server_list& one : lists.all) {
    for (json::value& element : one.elements) {
      json::object shown{{"server", one.server}, {"definition", std::move(element)}};
      all.push_back(std::move(shown));
    }
  }
  return all;
}

task<result<exit_code>> list_resources(errand& e, const server_options& options) {
  auto resources = co_await lists_of(e, options.server, list_kind::resources);
  if (!resources) co_return std::move(resources).error();
  auto templates = co_await lists_of(e, options.server, list_kind::resource_templates);
  if (!templates) co_return std::move(templates).error();
  const bool complete = resources->complete && templates->complete;
  if (options.json) {
    const json::object document{{"resources", as_json(*std::move(resources))},
                                {"templates", as_json(*std::move(templates))}};
    e.screen.out.line(escaped_json(json::serialize(document)));
  } else {
    table rows{"URI", "SERVER", "TYPE", "TITLE"};
    add_rows(rows, *resources, "uri");
    add_rows(rows, *templates, "uriTemplate");
    if (!rows.empty()) rows.print_to(e.screen.out);
  }
  co_return complete ? exit_code::ok : exit_code::unreachable;
}

}  // namespace

int resources_command(terminal& screen, const server_options& options) {
  return run_errand(screen, options, {.work = [&](errand& e) { return list_resources(e, options); }});
}

}  // namespace hawser::cli

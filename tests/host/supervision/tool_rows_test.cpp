// SPDX-License-Identifier: MIT
#include "../../../host/supervision/tool_rows.hpp"

#include "../../support/contains.hpp"
#include "../../support/server_context_fixture.hpp"
#include "../../support/tool_lists.hpp"
#include "../../support/ut.hpp"

namespace tool_rows_test {

using namespace hawser;
using testing::server_context_fixture;
using testing::tools_named;
using enum tool_list_state;

constexpr server_id id{1, 1};

struct rows_fixture {
  explicit rows_fixture(server_settings settings)
      : configured(context.shared, std::move(settings), id, {}, {}), rows(configured) {}

  [[nodiscard]] bool admits(std::string_view tool, tool_list_state state = current) const {
    return rows.admits_call(tool, state).has_value();
  }
  [[nodiscard]] std::string refusal(std::string_view tool, tool_list_state state) const {
    const auto admitted = rows.admits_call(tool, state);
    return admitted ? std::string{} : admitted.error().what;
  }

  loop event_loop;
  server_context_fixture context{event_loop};
  configured_server configured;
  tool_rows rows;
};

std::shared_ptr<const tool_list> with_hints(const std::vector<std::pair<std::string, hint_value>>& tools) {
  auto list = std::make_shared<tool_list>();
  for (const auto& [name, read_only] : tools)
    list->add({.name = list->own(name), .input_schema = R"({"type":"object"})", .hints = {.read_only = read_only}});
  return list;
}

const suite<"tool_rows"> tests = [] {
  "a server without rules admits any call, and every listed tool has a row"_test = [] {
    rows_fixture f{{.name = "files"}};
    f.rows.publish(tools_named({"read", "write"}));
    expect(f.rows.count() == 2_u);
    expect(f.admits("read"));
    expect(f.admits("unlisted", being_read));
    expect(f.admits("unlisted", unreadable));
    expect(not f.admits(""));
  };

  "a pattern of the configuration excludes a tool from the rows and from calls"_test = [] {
    rows_fixture f{{.name = "files", .tools = {"*", "!write"}}};
    f.rows.publish(tools_named({"read", "write"}));
    expect(f.rows.count() == 1_u);
    expect(f.rows.refused() == 1_u);
    expect(f.admits("read"));
    expect(not f.admits("write"));
    expect(not f.admits("unlisted"));
  };

  "annotations decide only while the list is current"_test = [] {
    rows_fixture f{{.name = "files", .access = tool_access::declared_read_only}};
    f.rows.publish(with_hints({{"read", hint_value::yes}, {"write", hint_value::no}, {"other", hint_value::unset}}));
    expect(f.rows.count() == 1_u);
    expect(f.admits("read"));
    expect(not f.admits("write"));
    expect(not f.admits("other"));
    expect(testing::contains(f.refusal("read", being_read), "not listed again yet"));
    expect(testing::contains(f.refusal("read", unreadable), "could not be listed"));
  };

  "a name that is listed twice is admitted only if both tools are"_test = [] {
    rows_fixture f{{.name = "files", .access = tool_access::declared_read_only}};
    f.rows.publish(with_hints({{"read", hint_value::yes}, {"read", hint_value::no}}));
    expect(f.rows.count() == 0_u);
    expect(not f.admits("read"));
  };

  "rows that are unavailable expire, and rows that are available again do not"_test = [] {
    rows_fixture f{{.name = "files"}};
    const time_point later{std::chrono::hours{1}};
    f.rows.set_expiry(later);
    expect(not f.rows.expiry().has_value()) << "there are no rows";
    f.rows.publish(tools_named({"read"}));
    f.rows.set_expiry(later);
    expect(f.rows.expiry() == later);
    f.rows.set_available();
    expect(not f.rows.expiry().has_value());
    f.rows.remove();
    expect(f.rows.count() == 0_u);
    expect(f.context.table.table()->rows().empty());
  };

  "every new table is reported with the name of the server, an equal one is not"_test = [] {
    rows_fixture f{{.name = "files"}};
    f.rows.publish(tools_named({"read"}));
    f.rows.publish(tools_named({"read"}));
    expect(fatal(f.context.changes.size() == 1_u));
    expect(f.context.changes.front().what == host_change::kind::tools);
    expect(f.context.changes.front().server == "files");
  };

  "a target that was found in an older table is found again, or refused"_test = [] {
    rows_fixture f{{.name = "files"}};
    f.rows.publish(tools_named({"read"}));
    const table_ref held = f.context.table.table();
    const std::string name{held->rows()[0]->name};
    tool_reference target{*held->find(name), held};
    f.rows.publish(tools_named({"read", "write"}));
    expect(f.rows.resolve(target, current).has_value());
    expect(target.version == f.context.table.version());
    f.rows.publish(tools_named({"write"}));
    const auto resolved = f.rows.resolve(target, current);
    expect(fatal(not resolved.has_value()));
    expect(resolved.error().code == errc::tool_unknown);
  };
};

}  // namespace tool_rows_test

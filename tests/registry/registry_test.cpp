// SPDX-License-Identifier: MIT
#include "../../registry/registry.hpp"

#include "../support/tool_lists.hpp"
#include "../support/ut.hpp"

namespace registry_test {

using namespace hawser;
using testing::tools_named;

std::string listing(const registry& r) {
  std::string names;
  for (const tool_row* row : *r.table()) names.append(names.empty() ? "" : " ").append(row->name);
  return names;
}

server_id owner_of(const registry& r, std::string_view name) { return r.table()->find(name)->server; }

const suite<"registry"> tests = [] {
  "servers come, change and go, and each time there is one version more"_test = [] {
    registry r;
    expect(r.version() == 0_ul && r.table()->empty());
    const auto first = r.replace({0, 0}, "git", tools_named({"log"}));
    expect(first.version == 1_ul && first.changed && first.listing_changed && first.refused == 0_ul);
    r.replace({1, 0}, "web", tools_named({"fetch"}));
    expect(listing(r) == "git__log web__fetch");
    r.replace({0, 0}, "git", tools_named({"status", "add"}));
    expect(listing(r) == "git__add git__status web__fetch" && r.version() == 3_ul);
    const auto gone = r.remove({0, 0});
    expect(gone.changed && gone.listing_changed && gone.version == 4_ul && listing(r) == "web__fetch");
    expect(r.version() == 4_ul && r.table()->version() == 4_ul);
  };

  "S041 a held table does not change when the registry does"_test = [] {
    registry r;
    r.replace({0, 0}, "git", tools_named({"log"}));
    const table_ref before = r.table();
    r.replace({0, 0}, "git", tools_named({"status"}));
    expect(before->find("git__log") != nullptr && before->find("git__status") == nullptr);
    expect(r.table()->find("git__status") != nullptr && r.table()->find("git__log") == nullptr);
  };

  "the same tools again publish nothing"_test = [] {
    registry r;
    r.replace({0, 0}, "git", tools_named({"log", "status"}));
    const auto again = r.replace({0, 0}, "git", tools_named({"log", "status"}));
    expect(!again.changed && !again.listing_changed && again.version == 1_ul && r.version() == 1_ul);
    expect(r.replace({0, 0}, "git", tools_named({"log"})).listing_changed);
  };

  "what is not there can be neither removed nor marked"_test = [] {
    registry r;
    r.replace({0, 1}, "git", tools_named({"log"}));
    for (const server_id other : {server_id{1, 1}, server_id{0, 0}, server_id{0, 2}}) {
      expect(!r.remove(other).changed);
      expect(!r.set_available(other, availability::unavailable).changed);
    }
    expect(r.version() == 1_ul && listing(r) == "git__log");
  };

  "the rows of a server that went away stay, marked, until it is back"_test = [] {
    registry r;
    r.replace({0, 0}, "git", tools_named({"log"}));
    const auto away = r.set_available({0, 0}, availability::unavailable);
    expect(away.changed && !away.listing_changed && listing(r) == "git__log" &&
           !r.table()->find("git__log")->available());
    expect(!r.set_available({0, 0}, availability::unavailable).changed);
    const auto back = r.replace({0, 0}, "git", tools_named({"log"}));
    expect(back.changed && !back.listing_changed && r.table()->find("git__log")->available());
  };

  "H03 a restarted server takes the place of the old one in one step"_test = [] {
    registry r;
    r.replace({0, 1}, "git", tools_named({"log"}));
    const table_ref before = r.table();
    const auto restarted = r.replace({0, 2}, "git", tools_named({"log"}));
    expect(restarted.changed && !restarted.listing_changed && restarted.version == 2_ul);
    expect(owner_of(r, "git__log") == server_id{0, 2});
    expect(before->find("git__log")->server == server_id{0, 1}) << "the old row still names the old instance";
  };

  "H03 the late list of an instance that was replaced is refused"_test = [] {
    registry r;
    r.replace({0, 2}, "git", tools_named({"log"}));
    const auto late = r.replace({0, 1}, "git", tools_named({"old", "older"}));
    expect(!late.changed && late.refused == 2_ul && late.refusals.size() == 1_ul);
    expect(late.refusals[0].why == refusal::reason::superseded) << late.refusals[0].what;
    expect(!r.remove({0, 1}).changed && listing(r) == "git__log");
  };

  "of two tools with one name in a list the first is used and the other reported"_test = [] {
    registry r;
    auto list = std::make_shared<tool_list>();
    list->add({.name = "log", .description = "first"});
    list->add({.name = "add"});
    list->add({.name = "log", .description = "second"});
    for (int times = 0; times < 2; ++times) {  // again, though nothing is published again
      const auto out = r.replace({0, 0}, "git", list);
      expect(out.refused == 1_ul && out.refusals.size() == 1_ul);
      expect(out.refusals[0].why == refusal::reason::duplicate && out.refusals[0].exposed == "git__log");
      expect(out.refusals[0].what == R"(tool "log" is in the list twice: the first one is used)");
    }
    expect(listing(r) == "git__add git__log");
    expect(r.table()->find("git__log")->definition->description == "first");
  };

  "a list of nothing but duplicates is counted, and not told a thousand times"_test = [] {
    registry r;
    const auto out = r.replace({0, 0}, "git", tools_named(std::vector<std::string>(1001, "log")));
    expect(out.refused == 1000_ul && out.refusals.size() == 100_ul && listing(r) == "git__log");
  };

  "H04 two servers with the same tool are both reached by their own name"_test = [] {
    registry r;
    expect(r.replace({0, 0}, "a", tools_named({"search"})).refused == 0_ul);
    expect(r.replace({1, 0}, "b", tools_named({"search"})).refused == 0_ul);
    expect(owner_of(r, "a__search") == server_id{0, 0} && owner_of(r, "b__search") == server_id{1, 0});
  };

  "T-09 a duplicate name stays with its first owner, and the collision is reported"_test = [] {
    registry r;
    r.replace({5, 0}, "git", tools_named({"log"}));
    const auto native = r.replace({1, 0}, "", tools_named({"git__log", "now"}));
    expect(native.refused == 1_ul && native.refusals[0].why == refusal::reason::taken);
    expect(native.refusals[0].what == R"(tool "git__log": the exposed name "git__log" is taken by server "git")")
        << native.refusals[0].what;
    const auto twin = r.replace({2, 0}, "git", tools_named({"log", "status"}));
    expect(twin.refused == 1_ul && twin.refusals[0].tool == "log");
    expect(owner_of(r, "git__log") == server_id{5, 0} && owner_of(r, "git__status") == server_id{2, 0});
    expect(listing(r) == "git__log git__status now");
  };

  "S038 a server that comes after a native tool of that name is the newcomer"_test = [] {
    registry r;
    r.replace({1, 0}, "", tools_named({"git__log"}));
    const auto out = r.replace({5, 0}, "git", tools_named({"log", "status"}));
    expect(out.refused == 1_ul) << out.refused;
    expect(out.refusals[0].what == R"(tool "log": the exposed name "git__log" is taken by a native tool)");
    expect(owner_of(r, "git__log") == server_id{1, 0});
  };

  "the owner of a name keeps it when it lists its tools again"_test = [] {
    registry r;
    r.replace({5, 0}, "git", tools_named({"log"}));
    r.replace({1, 0}, "git", tools_named({"log"}));
    r.replace({5, 0}, "git", tools_named({"log", "status"}));
    r.set_available({5, 0}, availability::unavailable);
    r.replace({5, 1}, "git", tools_named({"log"}));
    expect(owner_of(r, "git__log") == server_id{5, 1});
  };

  "a refused tool gets its row in the very change that frees the name"_test = [] {
    registry r;
    r.replace({5, 0}, "git", tools_named({"log", "status"}));
    r.replace({3, 0}, "git", tools_named({"log"}));
    r.replace({1, 0}, "git", tools_named({"log", "status", "add"}));
    const auto version = r.version();
    r.replace({5, 0}, "git", tools_named({"status"}));
    expect(r.version() == version + 1 && listing(r) == "git__add git__log git__status");
    expect(owner_of(r, "git__log") == server_id{1, 0}) << "the lowest slot that waited";
    expect(owner_of(r, "git__status") == server_id{5, 0});
    r.remove({1, 0});
    expect(r.version() == version + 2 && listing(r) == "git__log git__status");
    expect(owner_of(r, "git__log") == server_id{3, 0});
    r.remove({3, 0});
    r.remove({5, 0});
    expect(r.table()->empty());
  };

  "a server that leaves while its tools wait takes them with it"_test = [] {
    registry r;
    r.replace({0, 0}, "git", tools_named({"log"}));
    r.replace({1, 0}, "git", tools_named({"log"}));
    const auto gone = r.remove({1, 0});
    expect(!gone.listing_changed && listing(r) == "git__log");
    r.remove({0, 0});
    expect(r.table()->empty());
  };

  "a server without tools is there, and lists nothing"_test = [] {
    registry r;
    const auto none = r.replace({0, 0}, "git", tools_named({}));
    expect(!none.listing_changed && r.table()->empty());
    expect(r.replace({0, 0}, "git", tools_named({"log"})).listing_changed &&
           !r.replace({1, 0}, "x", tools_named({})).listing_changed);
    expect(!r.remove({1, 0}).listing_changed);
  };

  "a server that is renamed moves all its tools"_test = [] {
    registry r;
    r.replace({0, 0}, "git", tools_named({"log"}));
    expect(r.replace({0, 0}, "vcs", tools_named({"log"})).listing_changed && listing(r) == "vcs__log");
  };

  "names follow the registry's settings, and settings that would not work are a bug"_test = [] {
    registry r{{.separator = ".", .limit = 128}};
    r.replace({0, 0}, "git", tools_named({std::string(100, 'x')}));
    expect(r.table()->find("git." + std::string(100, 'x')) != nullptr);
    expect(throws<unchecked_error>([] { const registry unusable{{.limit = 8}}; }));
  };

  "lists are freed when nothing shows their tools any more"_test = [] {
    auto list = tools_named({"log"});
    const std::weak_ptr<const tool_list> watched = list;
    registry r;
    r.replace({0, 0}, "git", std::move(list));
    {
      const table_ref held = r.table();
      r.remove({0, 0});
      expect(r.collect() == 0_ul && !watched.expired()) << "held by the table that is held";
    }
    expect(watched.expired());
  };
};

}  // namespace registry_test

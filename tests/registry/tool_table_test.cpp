// SPDX-License-Identifier: MIT
#include "../../registry/tool_table.hpp"

#include <algorithm>
#include <map>
#include <random>

#include "../../registry/registry.hpp"
#include "../support/tool_lists.hpp"
#include "../support/ut.hpp"

namespace tool_table_test {

using namespace hawser;
using testing::tools_named;

bool sorted_and_found(const tool_table& table) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (i > 0 && !(table[i - 1].name < table[i].name)) return false;
    if (table.find(table[i].name) != &table[i]) return false;
  }
  return true;
}

std::vector<std::string> names_of(std::span<const tool_row* const> rows) {
  std::vector<std::string> names;
  for (const tool_row* row : rows) names.emplace_back(row->name);
  return names;
}

// Names that share long prefixes, lie anywhere, and take every length.
std::vector<std::string> random_names(std::mt19937& random, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    std::string name = random() % 3 == 0 ? "commonly_used_prefix_" : "";
    const std::size_t length = 1 + random() % 20;
    for (std::size_t c = 0; c < length; ++c) name += "abcxyz_-09"[random() % 10];
    names.push_back(std::move(name));
  }
  return names;
}

const suite<"tool_table"> tests = [] {
  "an empty table finds nothing and has no pages"_test = [] {
    const tool_table table{1};
    expect(table.empty() && table.version() == 0_ul && table.begin() == table.end());
    expect(table.find("a") == nullptr && table.find("") == nullptr && table.page("", 10).empty());
  };

  "S007 rows are sorted byte by byte, whatever order they were listed in"_test = [] {
    registry r;
    r.replace({2, 0}, "zoo", tools_named({"b", "a"}));
    r.replace({0, 0}, "Zoo", tools_named({"b", "B", "-"}));
    r.replace({1, 0}, "", tools_named({"native"}));
    expect(names_of(r.table()->rows()) ==
           std::vector<std::string>{"Zoo__-", "Zoo__B", "Zoo__b", "native", "zoo__a", "zoo__b"});
  };

  "S037 S131 a name leads to its row, and to nothing else"_test = [] {
    registry r;
    r.replace({7, 3}, "git", tools_named({"status", "log"}));
    const table_ref table = r.table();
    const tool_row* const row = table->find("git__log");
    expect(fatal(row != nullptr));
    expect(row->definition->name == "log" && row->server_name == "git" && row->server == server_id{7, 3});
    expect(row->available());
    for (const std::string_view other : {"git__lo", "git__log_", "GIT__log", "log", ""})
      expect(table->find(other) == nullptr) << other;
    expect(table->find(std::string_view{"git__log\0", 9}) == nullptr);
  };

  "lists of every shape are sorted and found"_test = [] {
    std::mt19937 random{3};
    for (const std::size_t count : {0UL, 1UL, 2UL, 11UL, 12UL, 300UL, 5000UL}) {
      registry r;
      const auto names = random_names(random, count);
      r.replace({0, 0}, "s", tools_named(names));
      const table_ref table = r.table();
      expect(sorted_and_found(*table)) << count;
      for (const std::string& name : names) expect(table->find(exposed_name({}, "s", name)) != nullptr) << name;
    }
  };

  "a page begins behind a name, even one that is gone"_test = [] {
    registry r;
    r.replace({0, 0}, "s", tools_named({"a", "b", "d", "e"}));
    const table_ref table = r.table();
    expect(names_of(table->page("", 2)) == std::vector<std::string>{"s__a", "s__b"});
    expect(names_of(table->page("s__b", 2)) == std::vector<std::string>{"s__d", "s__e"});
    expect(names_of(table->page("s__c", 1)) == std::vector<std::string>{"s__d"});
    expect(table->page("s__e", 2).empty() && table->page("", 0).empty());
    expect(table->page("", static_cast<std::size_t>(-1)).size() == 4_ul);
  };

  "pages of changing tables show every tool that stayed exactly once"_test = [] {
    std::mt19937 random{5};
    registry r;
    r.replace({0, 0}, "stays", testing::numbered_tools(500));
    std::map<std::string, int> shown;
    std::string after;
    for (std::uint32_t i = 1;; ++i) {
      r.replace({i, 0}, "s" + std::to_string(random() % 900), tools_named(random_names(random, 30)));
      if (i > 3) r.remove({static_cast<std::uint32_t>(i - 1 - random() % 3), 0});
      const table_ref table = r.table();
      const auto page = table->page(after, 17);
      if (page.empty()) break;
      after = page.back()->name;
      for (const tool_row* row : page)
        if (row->server_name == "stays") ++shown[std::string{row->name}];
    }
    expect(shown.size() == 500_ul);
    for (const auto& [name, times] : shown) expect(times == 1) << name;
  };

  "after any changes the table holds what a plain map would"_test = [] {
    std::mt19937 random{11};
    registry r;
    std::map<std::uint32_t, std::vector<std::string>> model;
    for (int step = 0; step < (testing::instrumented ? 300 : 3000); ++step) {
      const auto slot = static_cast<std::uint32_t>(random() % 40);
      const std::string server = "server" + std::to_string(slot);
      if (random() % 3 == 0) {
        r.remove({slot, 0});
        model.erase(slot);
      } else {
        // Now and then one so large that the index must grow, and shrink when it goes.
        auto names = random_names(random, random() % 50 == 0 ? 3000 : random() % 60);
        r.replace({slot, 0}, server, tools_named(names));
        std::sort(names.begin(), names.end());
        names.erase(std::unique(names.begin(), names.end()), names.end());
        model[slot] = std::move(names);
      }
      if (step % 16 != 0) continue;
      std::vector<std::string> expected;
      for (const auto& [at, names] : model)
        for (const std::string& name : names) expected.push_back(exposed_name({}, "server" + std::to_string(at), name));
      std::sort(expected.begin(), expected.end());
      const table_ref table = r.table();
      expect(names_of(table->rows()) == expected) << step;
      expect(sorted_and_found(*table)) << step;
    }
  };

  "T-09 hostile names map back to their tools through the table"_test = [] {
    std::mt19937 random{13};
    registry r;
    std::vector<std::pair<std::string, std::vector<std::string>>> servers;
    const std::vector<std::string> bits{"_", "__",       "a", "b",    "é",      "日",  ".",
                                        "-", "bcdfghjk", " ", "acme", "status", "\xff"};
    const std::size_t each = testing::instrumented ? 100 : 1000;
    std::size_t refused = 0;
    for (std::uint32_t s = 0; s < 100; ++s) {
      std::vector<std::string> tools;
      for (std::size_t t = 0; t < each; ++t) {
        std::string tool;
        for (std::size_t i = 0; i <= random() % 7; ++i) tool += bits[random() % bits.size()];
        tools.push_back(tool + std::to_string(t));
      }
      std::string server = bits[random() % bits.size()] + std::to_string(s) + bits[random() % bits.size()];
      refused += r.replace({s, 0}, server, tools_named(tools)).refused;
      servers.emplace_back(std::move(server), std::move(tools));
    }
    expect(refused == 0_ul);
    const table_ref table = r.table();
    expect(table->size() == 100 * each && sorted_and_found(*table));
    for (std::uint32_t s = 0; s < 100; ++s) {
      for (const std::string& tool : servers[s].second) {
        const tool_row* const row = table->find(exposed_name({}, servers[s].first, tool));
        expect(row != nullptr && row->definition->name == tool && row->server_name == servers[s].first &&
               row->server.slot == s);
      }
    }
  };
};

}  // namespace tool_table_test

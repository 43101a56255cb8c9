// SPDX-License-Identifier: MIT
#include "../../registry/tool.hpp"

#include "../support/tool_lists.hpp"
#include "../support/ut.hpp"

namespace tool_test {

using namespace hawser;

const suite<"tool"> tests = [] {
  "a tool that says nothing is taken as the specification says"_test = [] {
    const tool_hints silent;
    expect(!silent.is_read_only() && silent.is_destructive() && !silent.is_idempotent() && silent.is_open_world());
  };

  "explicit annotations override the defaults"_test = [] {
    const tool_hints yes{hint_value::yes, hint_value::yes, hint_value::yes, hint_value::yes};
    expect(yes.is_read_only() && yes.is_destructive() && yes.is_idempotent() && yes.is_open_world());
    const tool_hints no{hint_value::no, hint_value::no, hint_value::no, hint_value::no};
    expect(!no.is_read_only() && !no.is_destructive() && !no.is_idempotent() && !no.is_open_world());
  };

  "owned texts stay where they are while the list grows and is moved"_test = [] {
    tool_list list;
    std::vector<std::string_view> views;
    for (int i = 0; i < 1000; ++i) views.push_back(list.own(std::to_string(i)));  // short: inside the string object
    tool_list moved{std::move(list)};
    tool_list assigned;
    assigned = std::move(moved);
    for (int i = 0; i < 1000; ++i) expect(views[static_cast<std::size_t>(i)] == std::to_string(i));
  };

  "a kept page lives as long as the list"_test = [] {
    auto page = std::make_shared<const std::string>(R"({"name":"read"})");
    const std::weak_ptr<const std::string> watched = page;
    {
      tool_list list;
      list.add({.name = std::string_view{*page}.substr(9, 4), .json = *page});
      list.keep(std::move(page));
      expect(!watched.expired() && list.tools()[0].name == "read" && list.size() == 1_ul && !list.empty());
    }
    expect(watched.expired());
  };

  "lists are the same if every byte is, wherever it lives"_test = [] {
    expect(*testing::tools_named({"a", "b"}) == *testing::tools_named({"a", "b"}));
    expect(*testing::tools_named({"a", "b"}) != *testing::tools_named({"b", "a"}));
    tool_list said;
    said.add({.name = "a"});
    tool_list silent;
    silent.add({.name = "a", .hints = {.read_only = hint_value::no}});
    expect(said != silent) << "what a tool says about writing is a part of it";
  };
};

}  // namespace tool_test

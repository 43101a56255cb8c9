// SPDX-License-Identifier: MIT
#include "../../registry/render.hpp"

#include <algorithm>
#include <random>
#include <set>

#include "../../registry/registry.hpp"
#include "../support/tool_lists.hpp"
#include "../support/ut.hpp"

namespace render_test {

using namespace hawser;
using testing::tools_named;

std::string escaped(std::string_view text) {
  std::string out;
  hawser::detail::append_escaped(out, text);
  return out;
}

const suite<"render"> tests = [] {
  "S068 a tool is listed with its server before its description, members in a fixed order"_test = [] {
    registry r;
    auto list = std::make_shared<tool_list>();
    list->add({.name = "log",
               .title = "The log",
               .description = "shows \"it\"",
               .input_schema = R"({"type":"object","b":1,"a":2})",
               .output_schema = R"({"type": "object"})"});
    list->add({.name = "bare"});
    r.replace({0, 0}, "git", list);
    expect(render_tools(*r.table()) ==
           R"([{"name":"git__bare","description":"[git]","inputSchema":{"type":"object"}},)"
           R"({"name":"git__log","title":"The log","description":"[git] shows \"it\"",)"
           R"("inputSchema":{"type":"object","b":1,"a":2},"outputSchema":{"type": "object"}}])")
        << render_tools(*r.table());
    expect(render_tools(*r.table(), {.server_in_description = false}) ==
           R"([{"name":"git__bare","inputSchema":{"type":"object"}},)"
           R"({"name":"git__log","title":"The log","description":"shows \"it\"",)"
           R"("inputSchema":{"type":"object","b":1,"a":2},"outputSchema":{"type": "object"}}])");
  };

  "a native tool has no server to name, and no tools are an empty array"_test = [] {
    registry r;
    expect(render_tools(*r.table()) == "[]");
    r.replace({0, 0}, "", tools_named({"now"}));
    expect(render_tools(*r.table()) == R"([{"name":"now","description":"does now","inputSchema":{"type":"object"}}])");
  };

  "a filter leaves out, and the commas stay right"_test = [] {
    registry r;
    r.replace({0, 0}, "s", tools_named({"a", "b", "c"}));
    const auto count = [&](const std::vector<std::string>& patterns) {
      const tool_filter filter = tool_filter::parse(patterns).value();
      const std::string text = render_tools(*r.table(), {.filter = &filter});
      expect(text.find(",,") == std::string::npos && text.find("[,") == std::string::npos && !text.ends_with(",]"));
      return std::count(text.begin(), text.end(), '}') / 2;
    };
    expect(count({"*"}) == 3 && count({"*", "!s__a"}) == 2 && count({"s__b"}) == 1 && count({"none"}) == 0);
  };

  "text is escaped as JSON wants it"_test = [] {
    expect(escaped("plain – 日本 🛠") == "plain – 日本 🛠");
    expect(escaped("\" \\ / \b\f\n\r\t") == R"(\" \\ / \b\f\n\r\t)");
    expect(escaped(std::string_view{"\0\x1f\x7f", 3}) == "\\u0000\\u001f\x7f");
    expect(escaped("") == "");
  };

  "bytes that are not UTF-8 become replacement characters, one each"_test = [] {
    const std::string lost = "\xef\xbf\xbd";
    for (const auto& [bad, count] : std::vector<std::pair<std::string, int>>{{"\xff", 1},
                                                                             {"\x80", 1},
                                                                             {"\xc0\xaf", 2},          // overlong
                                                                             {"\xe0\x80\xaf", 3},      // overlong
                                                                             {"\xed\xa0\x80", 3},      // a surrogate
                                                                             {"\xf4\x90\x80\x80", 4},  // too large
                                                                             {"\xf0\x9f\x9b", 3},      // cut short
                                                                             {"\xe2\x82", 2}}) {
      std::string expected = "a";
      for (int i = 0; i < count; ++i) expected += lost;
      expect(escaped("a" + bad + "b") == expected + "b");
      expect(escaped("a" + bad) == expected) << "at the end";
    }
    expect(escaped("\xf4\x8f\xbf\xbf\xed\x9f\xbf\xee\x80\x80") == "\xf4\x8f\xbf\xbf\xed\x9f\xbf\xee\x80\x80");
  };

  "line breaks in a schema do not break the line"_test = [] {
    registry r;
    auto list = std::make_shared<tool_list>();
    list->add({.name = "t", .input_schema = "{\r\n  \"type\": \"object\"\n}"});
    r.replace({0, 0}, "", list);
    expect(render_tools(*r.table()) == R"([{"name":"t","inputSchema":{    "type": "object" }}])")
        << render_tools(*r.table());
  };

  "the listing is the same bytes whatever order servers came, left and came back in"_test = [] {
    std::mt19937 random{17};
    const int servers = 30;
    std::vector<std::shared_ptr<const tool_list>> lists;
    for (int s = 0; s < servers; ++s) {
      std::vector<std::string> names;
      for (std::size_t t = 0; t < 1 + random() % 20; ++t) names.push_back("t" + std::to_string(random() % 50) + "é");
      lists.push_back(tools_named(names));
    }
    std::set<std::string> renderings;
    for (int order = 0; order < (testing::instrumented ? 20 : 200); ++order) {
      registry r;  // with a seed of its own
      std::vector<std::uint32_t> arrivals(servers);
      for (std::uint32_t s = 0; s < servers; ++s) arrivals[s] = s;
      std::shuffle(arrivals.begin(), arrivals.end(), random);
      for (const std::uint32_t s : arrivals) {
        if (random() % 2 == 0) r.replace({s, 0}, "temporary" + std::to_string(random() % 5), lists[random() % servers]);
        r.replace({s, 1}, "server-" + std::to_string(s), lists[s]);
        if (random() % 4 == 0) {
          r.remove({s, 1});
          r.replace({s, 2}, "server-" + std::to_string(s), lists[s]);
        }
      }
      renderings.insert(render_tools(*r.table()));
    }
    expect(renderings.size() == 1_ul);
  };
};

}  // namespace render_test

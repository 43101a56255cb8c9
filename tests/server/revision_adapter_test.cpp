// SPDX-License-Identifier: MIT
#include "../../server/revision_adapter.hpp"

#include "../../server/list_page.hpp"
#include "../../transports/json/json_text.hpp"
#include "../../transports/jsonrpc/protocol.hpp"
#include "../support/ut.hpp"

namespace revision_adapter_test {

using namespace hawser;
namespace revision = protocol::revision;

const std::string tool =
    R"({"name":"t","icons":[1],"outputSchema":{"type":"object"},"title":"T","_meta":{"a":1},"":0})";
const std::string array_tool = R"({"name":"t","outputSchema":{"type":"array"},"x":1})";

std::string item(std::string_view json, std::string_view of) {
  return revision_adapter::list_item(list_kind::tools, json, of);
}

const std::string rich = R"({"resultType":"complete","content":[{"type":"audio","data":"AA==","mimeType":"audio/wav"},)"
                         R"({"type":"resource_link","uri":"a:1","name":"one","_meta":{}},{"type":"text","text":"x"}],)"
                         R"("structuredContent":{"a":1},"isError":false,"later":[1.0]})";

const suite<"revision_adapter"> tests = [] {
  "a tool loses what its revision does not know, and nothing else"_test = [] {
    const std::string bare = R"({"name":"t","title":"T","_meta":{"a":1},"":0})";
    expect(item(tool, revision::v2024_11_05) == bare and item(tool, revision::v2025_03_26) == bare);
    expect(item(tool, revision::v2025_06_18) ==
           R"({"name":"t","outputSchema":{"type":"object"},"title":"T","_meta":{"a":1},"":0})");
    expect(item(tool, revision::v2025_11_25) == tool and item(tool, revision::v2026_07_28) == tool);
  };
  "an output schema that is no object's is known since 2026-07-28 only"_test = [] {
    expect(item(array_tool, revision::v2025_06_18) == R"({"name":"t","x":1})");
    expect(item(array_tool, revision::v2025_11_25) == R"({"name":"t","x":1})");
    expect(item(array_tool, revision::v2026_07_28) == array_tool);
  };
  "icons of anything are known since 2025-11-25"_test = [] {
    const std::string prompt = R"({"name":"p","icons":[],"x":1})";
    expect(revision_adapter::list_item(list_kind::prompts, prompt, revision::v2025_06_18) == R"({"name":"p","x":1})");
    expect(revision_adapter::list_item(list_kind::resources, prompt, revision::v2025_11_25) == prompt);
  };
  "content types that the revision does not know become text"_test = [] {
    expect(revision_adapter::tool_result(rich, revision::v2024_11_05) ==
           R"({"isError":false,"later":[1.0],"content":[{"type":"text","text":"[audio, audio/wav]"},)"
           R"({"type":"text","text":"one: a:1"},{"type":"text","text":"x"}]})")
        << revision_adapter::tool_result(rich, revision::v2024_11_05);
    const std::string second = revision_adapter::tool_result(rich, revision::v2025_03_26);
    expect(second.find("\"audio\"") != std::string::npos and second.find("resource_link") == std::string::npos);
    expect(second.find("structuredContent") == std::string::npos);
    const std::string third = revision_adapter::tool_result(rich, revision::v2025_06_18);
    expect(find_member(third, "structuredContent") == R"({"a":1})" and find_member(third, "resultType").empty());
    expect(third.find("resource_link") != std::string::npos);
  };
  "a structured value that cannot be given is given as a text, if there is no other"_test = [] {
    const std::string list = R"({"content":[],"structuredContent":[1,"a"]})";
    expect(revision_adapter::tool_result(list, revision::v2025_11_25) ==
           R"({"content":[{"type":"text","text":"[1,\"a\"]"}]})");
    const std::string none = R"({"structuredContent":{"a":1}})";
    expect(revision_adapter::tool_result(none, revision::v2025_06_18) ==
           R"({"content":[],"structuredContent":{"a":1}})");
    expect(revision_adapter::tool_result(none, revision::v2024_11_05) ==
           R"({"content":[{"type":"text","text":"{\"a\":1}"}]})");
    const std::string texts = R"({"content":[{"type":"text","text":"1"}],"structuredContent":1})";
    expect(revision_adapter::tool_result(texts, revision::v2025_11_25) ==
           R"({"content":[{"type":"text","text":"1"}]})");
  };
  "messages of a prompt are turned, too"_test = [] {
    const std::string prompt =
        R"({"messages":[{"role":"user","content":{"type":"resource_link","uri":"a:1"},"x":1},1],"ttlMs":1})";
    expect(revision_adapter::prompt_result(prompt, revision::v2025_03_26) ==
           R"({"messages":[{"role":"user","x":1,"content":{"type":"text","text":"a:1"}},1]})")
        << revision_adapter::prompt_result(prompt, revision::v2025_03_26);
    expect(revision_adapter::prompt_result(prompt, revision::v2025_06_18) ==
           R"({"messages":[{"role":"user","content":{"type":"resource_link","uri":"a:1"},"x":1},1]})");
  };
  "a modern result keeps what it has, but not who served it before"_test = [] {
    const std::string relayed =
        R"({"content":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"inner"},"a":1},"ttlMs":3})";
    const revision_adapter::cache_hint hint;
    expect(revision_adapter::modern_result(relayed, R"({"name":"outer"})", &hint) ==
           R"({"resultType":"complete","content":[],"ttlMs":3,"cacheScope":"private",)"
           R"("_meta":{"a":1,"io.modelcontextprotocol/serverInfo":{"name":"outer"}}})");
    expect(revision_adapter::modern_result(R"({"resultType":"task"})", "{}", nullptr) ==
           R"({"resultType":"task","_meta":{"io.modelcontextprotocol/serverInfo":{}}})");
  };
  "pages follow each other to the end, whatever size they have"_test = [] {
    std::vector<std::string> items;
    for (int i = 0; i < 7; ++i) items.push_back(std::to_string(i));
    for (const std::size_t size : {1UL, 3UL, 7UL, 100UL}) {
      std::string params = "{}";
      std::string all;
      std::size_t pages = 0;
      for (; pages < 10; ++pages) {
        const auto page = list_page(list_kind::prompts, items, params, size, revision::latest);
        expect(page.has_value());
        for_each_element(find_member(*page, "prompts"), [&](std::string_view one) {
          all += one;
          return true;
        });
        const std::string_view cursor = find_member(*page, "nextCursor");
        if (cursor.empty()) break;
        params = R"({"cursor":)" + std::string{cursor} + '}';
      }
      expect(all == "0123456" and pages == (7 + size - 1) / size - 1) << size << pages;
    }
  };
  "a cursor is checked, and one of a longer list ends it"_test = [] {
    const std::vector<std::string> items{"1", "2", "3"};
    const auto page = [&](const std::string& cursor, const std::vector<std::string>& of) {
      return list_page(list_kind::tools, of, R"({"cursor":)" + cursor + '}', 2, revision::latest_legacy);
    };
    for (const std::string bad : {R"("")", R"("2")", R"("ZnJvbSAw")", R"("ZnJvbSAtMQ")", "7", "{}"})
      expect(!page(bad, items).has_value()) << bad;
    expect(page("null", items).has_value());
    expect(page(R"("ZnJvbSAy")", items).value() == R"({"tools":[3]})");
    expect(page(R"("ZnJvbSAy")", {}).value() == R"({"tools":[]})");
  };
};

}  // namespace revision_adapter_test

// SPDX-License-Identifier: MIT
#include "../../../host/session/tool_page.hpp"

#include "../../../transports/json/json_validator.hpp"
#include "../../support/ut.hpp"

namespace tool_page_test {

using namespace hawser;

result<tool_page> read(std::string_view json, tool_list& into, std::size_t max_tools = 100) {
  return read_tool_page(raw_json{json}, into, max_tools);
}

std::string reason(std::string_view tool) {
  tool_list list;
  const auto page = read("{\"tools\":[{\"name\":\"good\",\"inputSchema\":{}}," + std::string{tool} +
                             ",{\"name\":\"last\",\"inputSchema\":{}}]}",
                         list);
  expect(page.has_value());
  if (!page) return page.error().what;
  expect(list.size() + page->skipped_count == 3_ul and list.tools().front().name == "good" and
         list.tools().back().name == "last");
  return page->skipped.empty() ? "" : page->skipped.front().why;
}

const suite<"tool_page"> tests = [] {
  "everything a server says of a tool is kept, schemas byte for byte"_test = [] {
    tool_list list;
    const auto page = read(R"({ "nextCursor" : "p\/2", "tools" : [ {
      "name":"read_file", "title":"Read", "description":"Reads \"a\" file", "extra":{"a":[1,2]},
      "inputSchema": {"type" : "object",  "x":1.0e0 }, "outputSchema":{"type":"object"},
      "annotations":{"readOnlyHint":true,"destructiveHint":false,"openWorldHint":"maybe","title":"T"} } ] })",
                           list);
    expect(page.has_value() and page->next_cursor == "p/2" and page->skipped_count == 0_ul);
    const tool& t = list.tools().front();
    expect(t.name == "read_file" and t.title == "Read" and t.description == "Reads \"a\" file");
    expect(t.input_schema == R"({"type" : "object",  "x":1.0e0 })" and t.output_schema == R"({"type":"object"})");
    expect(t.hints.is_read_only() and !t.hints.is_destructive() and t.hints.open_world == hint_value::unset);
    expect(t.json.starts_with('{') and t.json.ends_with('}') and
           t.json.find(R"("extra":{"a":[1,2]})") != std::string_view::npos);
  };
  "the title of the annotations stands in for a missing one"_test = [] {
    tool_list list;
    const auto page = read(R"({"tools":[{"name":"a","annotations":{"title":"T"},"inputSchema":{}}]})", list);
    expect(page.has_value() and list.tools().front().title == "T");
  };
  "B18 a bad tool is skipped with its reason, the good ones are kept"_test = [] {
    expect(reason(R"({"name":"x"})") == "it has no inputSchema");
    expect(reason(R"({"name":"x","inputSchema":null})") == "its inputSchema is not an object");
    expect(reason(R"({"inputSchema":{}})") == "it has no name");
    expect(reason(R"({"name":7,"inputSchema":{}})") == "it has no name");
    expect(reason(R"({"name":"","inputSchema":{}})") == "its name is empty");
    expect(reason(R"({"name":")" + std::string(10'240, 'n') + R"(","inputSchema":{}})") ==
           "its name is longer than 1024 bytes");
    expect(reason(R"({"name":"a\nb","inputSchema":{}})") == "its name has control characters");
    expect(reason(R"({"name":"\u001b[31m","inputSchema":{}})") == "its name has control characters");
    expect(reason("null") == "it is not an object");
    expect(reason(R"({"name":"a/b c.d","inputSchema":{}})").empty());
  };
  "B17 more tools than the limit are refused"_test = [] {
    tool_list list;
    const std::string two = R"({"tools":[{"name":"a","inputSchema":{}},{"name":"b","inputSchema":{}}]})";
    expect(read(two, list, 2).has_value());
    const auto page = read(two, list, 3);
    expect(!page.has_value() and page.error().code == errc::too_large);
  };
  "an answer that is no page is refused, and an empty cursor is a cursor"_test = [] {
    const auto code = [](std::string_view json) {
      tool_list list;
      const auto page = read(json, list);
      return page ? errc{} : page.error().code;
    };
    expect(code("[]") == errc::protocol and code("{}") == errc::protocol and code(R"({"tools":{}})") == errc::protocol);
    expect(code(R"({"tools":[],"nextCursor":5})") == errc::protocol and code(R"({"tools":[]})") == errc{});
    tool_list list;
    expect(read(R"({"tools":[],"nextCursor":""})", list)->next_cursor == "");
    expect(!read(R"({"tools":[],"nextCursor":null})", list)->next_cursor.has_value());
  };
  "a page that is not JSON is refused wherever it goes wrong, and is never read beyond its end"_test = [] {
    const std::string page =
        R"({"_meta": {"a" : [1,{}]}, "tools" : [ {"name":"x","inputSchema":{"p":["\u00e9",-1.5e3,null]},)"
        R"("annotations":{"readOnlyHint":true}} , 7,{"name":"y","inputSchema":{}}],"nextCursor":"n\"" } )";
    // In memory of its own, so that a sanitizer sees a step too far.
    const auto reads = [](std::string_view text) {
      const std::vector<char> exact{text.begin(), text.end()};
      tool_list list;
      return read({exact.data(), exact.size()}, list).has_value();
    };
    expect(reads(page));
    for (std::size_t size = 0; size + 1 < page.size(); ++size) expect(not reads({page.data(), size})) << size;
    for (std::size_t at = 0; at < page.size(); ++at) {
      for (const char instead : std::string_view{"{}[]\":,\\x0 \n\x80"}) {
        std::string changed = page;
        changed[at] = instead;
        const bool json = validate_json(changed).has_value();
        const bool was_read = reads(changed);
        expect(json or not was_read) << "taken:" << changed;
        // What is JSON is refused only where the page itself is not the one any more.
        const bool still_a_page =
            changed.find("\"tools\"") != std::string::npos and changed.find("\"nextCursor\":\"") != std::string::npos;
        expect(was_read or not json or not still_a_page) << "refused:" << changed;
      }
    }
  };
};

}  // namespace tool_page_test

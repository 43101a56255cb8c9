// SPDX-License-Identifier: MIT
// What servers say inside sound messages: too much of it, numbers and texts at the edges, lists without end, changes
// without end, questions without end.
#include <boost/json/object.hpp>

#include "../support/hub_fixture.hpp"

namespace content_faults_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::call_outcome;
using testing::contains;
using testing::hub_fixture;
using testing::in_process_server;
using testing::manual_clock;
using testing::with_hub;
using state = server_state;

// One call that is answered with this result.
task<result<envelope>> given(hub_fixture& h, std::string json) {
  std::optional<result<envelope>> got;
  scope calls{co_await this_context()};
  calls.spawn([](hub& of, std::optional<result<envelope>>& into) -> task<void> {
    into.emplace(co_await of.call("far__echo", "{}"));
  }(h.of, got));
  const std::string request = co_await h.far.next_call();
  h.far.answer(request, json);
  co_await calls.join();
  co_return *std::move(got);
}

std::string text_result(std::string_view text) {
  return R"({"content":[{"type":"text","text":)" + json_string(text) + "}]}";
}

task<void> huge(hub_fixture& h) {
  std::string many = R"({"content":[],"structuredContent":{"a":[1)";
  for (int i = 0; i < 999'999; ++i) many += ",1";
  std::string keys = R"({"content":[],"structuredContent":{"k":1)";
  for (int i = 0; i < 999'999; ++i) keys += ",\"k" + std::to_string(i) + "\":1";
  const auto begin = std::chrono::steady_clock::now();
  for (std::string json : {many + "]}}", keys + "}}"}) {
    const std::size_t size = json.size();
    auto got = co_await given(h, std::move(json));
    expect(got.has_value() && got->raw().size() == size) << (got ? "" : got.error().what);
  }
  expect(std::chrono::steady_clock::now() - begin < (testing::instrumented ? 60s : 10s)) << "linear time";
  auto cut = co_await given(h, text_result(std::string(10'000'000, 'x')));
  expect(cut.has_value() && cut->text().size() < 5'100'000_ul) << "cut to what a caller can bear";
  auto larger = co_await given(h, text_result(std::string(50'000'000, 'x')));
  expect(larger.has_error() && larger.error().code == errc::too_large) << "beyond the limit of a message";
  co_await h.until("far", state::ready);  // connected again
  auto after = co_await given(h, text_result("fine"));
  expect(after.has_value() && after->text() == "fine");
}

task<void> numbers(hub_fixture& h) {
  const std::string digits(400, '7');
  for (const std::string& number : {std::string{"1e400"}, std::string{"-0"}, std::string{"9007199254740993"}, digits}) {
    const std::string json = R"({"content":[],"structuredContent":{"n":)" + number + "}}";
    auto got = co_await given(h, json);
    expect(got.has_value() && got->raw() == json) << number;
  }
}

task<void> texts(hub_fixture& h) {
  auto nul = co_await given(h, R"({"content":[{"type":"text","text":"a\u0000b"}]})");
  expect(nul.has_value() && nul->text() == std::string("a\0b", 3)) << "not cut at the NUL";
  auto lone = co_await given(h, R"({"content":[{"type":"text","text":"a\ud800b"}]})");
  expect(!lone.has_value() || lone->text().size() >= 2U);
  auto overlong = co_await given(h, "{\"content\":[{\"type\":\"text\",\"text\":\"a\xC0\x80\"}]}");
  expect(overlong.has_error() && overlong.error().code == errc::protocol);
  auto after = co_await given(h, text_result("fine"));
  expect(after.has_value() && h.far.connections == 1_ul);
}

task<void> result_types(hub_fixture& h) {
  for (const std::string type : {R"("streaming")", "7", "null", R"("Complete")"}) {
    auto got = co_await given(h, R"({"resultType":)" + type + R"(,"content":[]})");
    expect(got.has_error() && got.error().code == errc::protocol && got.error().executed == execution::unknown) << type;
  }
  auto complete = co_await given(h, R"({"resultType":"complete","content":[{"type":"text","text":"fine"}]})");
  expect(complete.has_value() && complete->text() == "fine");
}

std::size_t page_of(std::string_view request) {
  return static_cast<std::size_t>(
      integer_of(text_of(find_member(find_member(request, "params"), "cursor")).value_or("0")).value_or(0));
}

std::string many_tools(std::size_t count) {
  std::string json = R"({"tools":[{"name":"t","inputSchema":{"type":"object"}})";
  for (std::size_t i = 1; i < count; ++i)
    json += R"(,{"name":"t)" + std::to_string(i) + R"(","inputSchema":{"type":"object"}})";
  return json + "]}";
}

// A list that cannot be read leaves the old one in place, and says why.
task<void> endless_lists(hub_fixture& h) {
  const auto before = h.of.tools()->size();
  const std::vector<std::function<std::string(std::string_view)>> liars{
      [](std::string_view) { return many_tools(100'000); },
      [](std::string_view request) {
        return R"({"tools":[],"nextCursor":")" + std::to_string(page_of(request) + 1) + "\"}";
      },
      [](std::string_view) { return std::string{R"({"tools":[],"nextCursor":"same"})"}; }};
  const std::vector<std::size_t> pages{1, 1000, 2};
  for (std::size_t i = 0; i < liars.size(); ++i) {
    h.far.listed = liars[i];
    const std::size_t seen = h.far.lists.size();
    h.far.change_list();
    auto slept = co_await sleep_for(1s);
    expect(slept.has_value() && h.far.lists.size() - seen == pages[i]) << h.far.lists.size() - seen;
    expect(h.of.tools()->size() == before && h.of.tools()->find("far__echo") != nullptr);
    expect(h.of.status("far")->state == state::ready);
  }
  // The same at the first listing: it is there, without tools, and says why.
  h.far.listed = liars[2];
  auto again = h.of.restart("far");
  expect(again.has_value());
  const server_status got = co_await h.until("far", state::degraded);
  expect(contains(got.reason, "repeats a cursor")) << got.reason;
}

task<void> bad_tools(hub_fixture& h) {
  const std::string schema = R"("inputSchema":{"type":"object"})";
  h.far.listed = [schema](std::string_view) {
    return R"({"tools":[{"name":"echo",)" + schema + R"(},{"name":"bare"},{"name":"null","inputSchema":null},)" +
           R"({"name":"echo",)" + schema + R"(},{"name":")" + std::string(10'240, 'n') + "\"," + schema + "}," +
           R"({"name":"a/b",)" + schema + R"(},{"name":"new\nline",)" + schema + R"(},{"name":"\u001b[2J",)" + schema +
           "},7]}";
  };
  h.far.change_list();
  auto slept = co_await sleep_for(1s);
  expect(slept.has_value() && h.of.tools()->find("far__echo") != nullptr);
  const auto status = h.of.status("far");
  expect(status->state == state::ready && status->tools >= 1_ul && status->refused >= 4_ul)
      << status->tools << status->refused;
  expect(status->tools + status->refused == 9_ul);
  const auto table = h.of.tools();
  for (const tool_row* row : *table) {
    const bool clean = std::all_of(row->name.begin(), row->name.end(),
                                   [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
    expect(clean && row->name.size() <= 64_ul) << row->name;
  }
}

task<void> wrong_shapes(hub_fixture& h) {
  for (const std::string json :
       {R"({"contents":[{"uri":"a:1","text":"a resource"}]})", R"({"messages":[]})", R"([1])", R"("text")", "null",
        R"({"content":"no list"})", R"({"content":[7,{"type":"new"}]})"}) {
    auto got = co_await given(h, json);
    expect(got.has_value() || (got.error().code == errc::protocol && got.error().executed == execution::unknown))
        << json;
    if (got) {
      const std::string text = got->text();
      expect(!text.empty()) << json;
    }
  }
  auto wrong = co_await given(h, R"({"content":[],"structuredContent":{"n":"seven"}})");
  expect(wrong.has_value() && wrong->violation().has_value()) << "delivered, and flagged";
  auto right = co_await given(h, R"({"content":[],"structuredContent":{"n":7}})");
  expect(right.has_value() && !right->violation().has_value());
}

task<void> a_schema(hub_fixture& h) {
  h.far.listed = [](std::string_view) {
    return in_process_server::one_tool(
        "echo", R"(,"outputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]})");
  };
  co_await h.add_in_process_server();
  co_await wrong_shapes(h);
}

template <testing::hub_body inside>
task<void> legacy(hub_fixture& h) {
  co_await h.add_in_process_server();
  co_await inside(h);
}

template <testing::hub_body inside>
task<void> modern(hub_fixture& h) {
  h.far.modern = true;
  co_await h.add_in_process_server();
  co_await inside(h);
}

void with_far(testing::hub_body inside) {
  manual_clock clock;
  with_hub(inside, {}, {}, &clock);
}

const suite<"content faults"> tests = [] {
  "B13 a million elements or members take linear time, and what is larger than the limits is cut or refused"_test = [] {
    with_far(legacy<huge>);
  };
  "B14 numbers stay as they are written"_test = [] { with_far(legacy<numbers>); };
  "B15 texts are never cut at a NUL, and what is not UTF-8 is refused"_test = [] { with_far(legacy<texts>); };
  "B16 a result of an unknown type is invalid"_test = [] { with_far(modern<result_types>); };
  "B17 lists without end are refused with the reason, and the old list stays"_test = [] {
    with_far(legacy<endless_lists>);
  };
  "B18 bad tools are left out, the good ones are listed under clean names"_test = [] { with_far(legacy<bad_tools>); };
  "B23 results of another shape are delivered, flagged or refused"_test = [] { with_far(a_schema); };
};

}  // namespace content_faults_test

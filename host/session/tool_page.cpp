// SPDX-License-Identifier: MIT
#include "tool_page.hpp"

#include <algorithm>
#include <utility>

#include "../../transports/json/json_text.hpp"
#include "../../transports/json/json_validator.hpp"

namespace hawser {

namespace {

// Longer than any legitimate name and than any model API accepts.
constexpr std::size_t max_tool_name = 1024;
constexpr std::size_t skipped_described = 100;
constexpr std::size_t sampled = 64;

// The members of a tool as views into the JSON.
struct raw_tool {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::string_view input_schema;
  std::string_view output_schema;
  std::string_view annotations;

  void take(std::string_view key, std::string_view value) {
    // The length distinguishes all but three names and saves comparisons: there may be a hundred thousand tools.
    switch (key.size()) {
      case 4: return take_if(key, "name", value, name);
      case 5: return take_if(key, "title", value, title);
      case 11:
        take_if(key, "description", value, description);
        take_if(key, "inputSchema", value, input_schema);
        return take_if(key, "annotations", value, annotations);
      case 12: return take_if(key, "outputSchema", value, output_schema);
      default: return;
    }
  }
  static void take_if(std::string_view key, std::string_view wanted, std::string_view value, std::string_view& into) {
    if (key == wanted) into = value;
  }
};

// The value of a string: a view into the JSON if it has no escapes, else decoded and owned by the list.
std::string_view text_in(std::string_view json, tool_list& list) {
  if (json.size() < 2 || json.front() != '"') return {};
  const std::string_view raw = json.substr(1, json.size() - 2);
  return raw.find('\\') == std::string_view::npos ? raw : list.own(unescaped(raw));
}

hint_value said(std::string_view json) noexcept {
  return json == "true" ? hint_value::yes : json == "false" ? hint_value::no : hint_value::unset;
}

tool_hints hints_of(std::string_view annotations) {
  tool_hints hints;
  if (annotations.empty() || annotations.front() != '{') return hints;
  for_each_member(annotations, [&](std::string_view key, std::string_view value) {
    if (key == "readOnlyHint") hints.read_only = said(value);
    if (key == "destructiveHint") hints.destructive = said(value);
    if (key == "idempotentHint") hints.idempotent = said(value);
    if (key == "openWorldHint") hints.open_world = said(value);
    return true;
  });
  return hints;
}

const char* why_unusable(const raw_tool& raw, std::string_view name) {
  if (!raw.name.starts_with('"')) return "it has no name";
  if (name.empty()) return "its name is empty";
  if (name.size() > max_tool_name) return "its name is longer than 1024 bytes";
  if (std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }))
    return "its name has control characters";
  if (raw.input_schema.empty()) return "it has no inputSchema";
  if (raw.input_schema.front() != '{') return "its inputSchema is not an object";
  return nullptr;
}

void skip(tool_page& page, std::string_view name, const char* why) {
  ++page.skipped_count;
  if (page.skipped.size() < skipped_described)
    page.skipped.push_back({std::string{name.size() <= max_tool_name ? name : std::string_view{}}, why});
}

// Nesting depth of a tool and of its members: result, list, tool.
constexpr std::size_t around_tools = 2;

// Reads one tool. Returns its end, or null if it is not valid JSON.
const char* read_tool(json_validator& check, const char* first, tool_page& page, tool_list& into) {
  if (*first != '{') {
    skip(page, {}, "it is not an object");
    return check.value(first, around_tools);
  }
  raw_tool raw;
  const char* behind = check.object(first, around_tools, [&](std::string_view key, const char* value) {
    const char* value_end = check.value(value, around_tools + 1);
    if (value_end != nullptr) raw.take(key, {value, static_cast<std::size_t>(value_end - value)});
    return value_end;
  });
  if (behind == nullptr) return nullptr;
  tool t{.name = text_in(raw.name, into)};
  if (const char* why = why_unusable(raw, t.name)) {
    skip(page, t.name, why);
    return behind;
  }
  t.title = text_in(raw.title, into);
  t.description = text_in(raw.description, into);
  t.input_schema = raw.input_schema;
  if (raw.output_schema.starts_with('{')) t.output_schema = raw.output_schema;
  t.hints = hints_of(raw.annotations);
  if (t.title.empty() && !raw.annotations.empty()) t.title = text_in(find_member(raw.annotations, "title"), into);
  t.json = {first, static_cast<std::size_t>(behind - first)};
  into.add(t);
  return behind;
}

}  // namespace

result<tool_page> read_tool_page(raw_json page, tool_list& into, std::size_t max_tools) {
  const auto bytes = std::make_shared<const raw_json>(std::move(page));
  const std::string_view result = bytes->text();
  const auto bad = [](const char* why) {
    return error{.code = errc::protocol, .what = std::string{"tools/list: "} + why, .phase = "list"};
  };
  // The limit of values for ordinary results is too low here: bytes and the number of tools bound them instead.
  // Validated while reading, so that a list of megabytes is scanned only once.
  json_validator check{result.data() + result.size(), {.max_values = result.size()}};
  if (!result.starts_with('{')) return bad("the result is not an object");
  tool_page read;
  into.keep(bytes);
  std::string_view cursor;
  bool listed = false;
  bool fits = true;
  const char* end = result.data() + result.size();
  const char* first_tool = nullptr;
  const std::size_t before = into.size();
  const auto one_tool = [&](const char* first) {
    if (first_tool == nullptr) first_tool = first;
    const char* behind = read_tool(check, first, read, into);
    if (behind == nullptr) return behind;
    // Estimates the number of tools from the size of the first ones: growing step by step would touch the memory of a
    // hundred thousand tools twice.
    if (into.size() == before + sampled) {
      const auto each = static_cast<std::size_t>(behind - first_tool) / sampled;
      const std::size_t more = static_cast<std::size_t>(end - behind) / each;
      if (more > into.size()) into.reserve(std::min(into.size() + more + more / 16, max_tools + 1));
    }
    fits = into.size() <= max_tools;
    return fits ? behind : nullptr;
  };
  const char* whole = check.object(result.data(), 0, [&](std::string_view key, const char* value) {
    if (key == "tools" && value != end && *value == '[' && !std::exchange(listed, true))
      return check.array(value, 1, one_tool);
    const char* behind = check.value(value, 1);
    if (behind == nullptr) return behind;
    if (key == "resultType") read.complete = std::string_view{value, behind} == R"("complete")";
    if (key == "nextCursor") cursor = {value, static_cast<std::size_t>(behind - value)};
    return behind;
  });
  if (check.fault() != nullptr) return bad(check.fault());
  if (!fits)
    return error{.code = errc::too_large,
                 .what = "tools/list: more than " + std::to_string(max_tools) + " tools",
                 .phase = "list"};
  if (check.space(whole) != end) return bad("something stands behind the value");
  if (!listed) return bad("\"tools\" is not an array");
  // Pagination: an empty cursor is not the end, a missing one is; some servers send null for none.
  if (!cursor.empty() && cursor != "null") {
    read.next_cursor = text_of(cursor);
    if (!read.next_cursor) return bad("\"nextCursor\" is not a string");
  }
  return read;
}

}  // namespace hawser

// SPDX-License-Identifier: MIT
#include "mcp_fields.hpp"

#include <algorithm>

#include "../runtime/crypto.hpp"
#include "http_fields.hpp"
#include "json_text.hpp"
#include "protocol.hpp"

namespace hawser {

namespace {

constexpr std::string_view mark = "x-mcp-header";
constexpr std::string_view sentinel = "=?base64?";
constexpr std::int64_t largest = (std::int64_t{1} << 53) - 1;
constexpr int deepest = 64;

bool is_safe(std::string_view text) noexcept {
  if (text.empty() || text.front() == ' ' || text.back() == ' ') return false;
  if (text.starts_with(sentinel)) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
}

class schema_walk {
 public:
  result<std::vector<header_argument>> take() && {
    if (!fault_.empty()) return error{.code = errc::protocol, .what = std::move(fault_)};
    return std::move(found_);
  }

  // `reachable`: only through `properties`, so that there is exactly one place in the arguments for it.
  void schema(std::string_view json, bool reachable, int depth) {
    if (!fault_.empty() || json.empty()) return;
    if (depth > deepest) {
      fault_ = "its input schema is too deep";
      return;
    }
    if (json.front() == '[') {
      for_each_element(json, [&](std::string_view inner) { return schema(inner, false, depth + 1), fault_.empty(); });
      return;
    }
    if (json.front() != '{') return;
    for_each_member(json, [&](std::string_view raw, std::string_view value) {
      if (same_name(raw, mark)) {
        marked(json, value, reachable);
      } else if (same_name(raw, "properties") && value.front() == '{') {
        for_each_member(value, [&](std::string_view name, std::string_view inner) {
          path_.push_back(unescaped(name));
          schema(inner, reachable, depth + 1);
          path_.pop_back();
          return fault_.empty();
        });
      } else if (!is_text(raw)) {
        schema(value, false, depth + 1);
      }
      return fault_.empty();
    });
  }

 private:
  // Values that are no schemas, whatever they look like.
  static bool is_text(std::string_view raw) {
    return same_name(raw, "default") || same_name(raw, "const") || same_name(raw, "enum") || same_name(raw, "examples");
  }

  void marked(std::string_view schema, std::string_view value, bool reachable) {
    const auto name = text_of(value);
    const auto type = text_of(find_member(schema, "type"));
    if (!name || name->empty() || !valid_field_name(*name)) {
      fault_ = std::string{mark} + " is no name of a header field: " + std::string{value.substr(0, 80)};
    } else if (!reachable || path_.empty()) {
      fault_ = std::string{mark} + " \"" + *name + "\" stands where no argument has one place";
    } else if (!type || (*type != "string" && *type != "integer" && *type != "boolean")) {
      fault_ = std::string{mark} + " \"" + *name + "\" marks what is no string, integer or boolean";
    } else {
      std::string field = std::string{protocol::header::parameter_prefix} + *name;
      for (const header_argument& one : found_) {
        if (equal_ignoring_case(one.field, field)) fault_ = std::string{mark} + " \"" + *name + "\" stands there twice";
      }
      found_.push_back({std::move(field), path_});
    }
  }

  std::vector<header_argument> found_;
  std::vector<std::string> path_;
  std::string fault_;
};

}  // namespace

std::string_view name_member(std::string_view method) noexcept {
  namespace m = protocol::method;
  if (method == m::tools_call || method == m::prompts_get) return "name";
  if (method == m::resources_read) return "uri";
  if (method == "tasks/get" || method == "tasks/update" || method == "tasks/cancel") return "taskId";
  return {};
}

std::string field_text(std::string_view text) {
  if (is_safe(text)) return std::string{text};
  return std::string{sentinel} + base64(text) + "?=";
}

std::optional<std::string> text_of_field(std::string_view value) {
  constexpr std::string_view end = "?=";
  if (!value.starts_with(sentinel) || !value.ends_with(end) || value.size() < sentinel.size() + end.size())
    return std::string{value};
  value.remove_prefix(sentinel.size());
  value.remove_suffix(end.size());
  return from_base64(value);
}

void append_modern_fields(std::string& to, std::string_view version, std::string_view method, std::string_view params) {
  append_field(to, protocol::header::protocol_version, version);
  if (method.empty()) return;
  append_field(to, protocol::header::method, field_text(method));
  const std::string_view member = name_member(method);
  if (member.empty() || params.empty()) return;
  if (const auto name = text_of(find_member(params, member)))
    append_field(to, protocol::header::name, field_text(*name));
}

result<std::vector<header_argument>> header_arguments(std::string_view input_schema) {
  schema_walk walk;
  // Most schemas have none, and need no walk.
  if (input_schema.find(mark) != input_schema.npos) walk.schema(input_schema, true, 0);
  return std::move(walk).take();
}

result<std::string> argument_fields(const std::vector<header_argument>& marked, std::string_view arguments) {
  std::string lines;
  for (const header_argument& one : marked) {
    std::string_view value = arguments;
    for (const std::string& name : one.path) {
      value = value.starts_with('{') ? find_member(value, name) : std::string_view{};
    }
    if (value.empty() || value == "null") continue;
    if (value == "true" || value == "false") {
      append_field(lines, one.field, value);
    } else if (const auto text = text_of(value)) {
      append_field(lines, one.field, field_text(*text));
    } else if (const auto number = integer_of(value); number && *number <= largest && *number >= -largest) {
      append_field(lines, one.field, std::to_string(*number));
    } else {
      return error{.code = errc::config,
                   .what = "the argument for the header field " + one.field + " is no string, boolean or integer"};
    }
  }
  return lines;
}

}  // namespace hawser

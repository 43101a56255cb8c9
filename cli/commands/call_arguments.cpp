// SPDX-License-Identifier: MIT
#include "call_arguments.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <optional>
#include <vector>

#include "../../transports/json/json_text.hpp"
#include "../../transports/json/json_validator.hpp"
#include "../../transports/jsonrpc/message.hpp"

namespace hawser::cli {

namespace {

namespace json = boost::json;

error argument_error(std::string what) { return error{.code = errc::parse, .what = std::move(what)}; }

struct assignment {
  std::string_view key;
  std::string_view value;
  bool forced_json = false;
};

result<assignment> split(std::string_view word) {
  const std::size_t at = word.find('=');
  // json_string() would replace such bytes, and the tool would get another text than the one that was given.
  if (text_of(json_string(word)) != std::string{word})
    return argument_error("argument " + json_string(word.substr(0, at)) + " is not UTF-8");
  if (at == std::string_view::npos) {
    return argument_error(json_string(word) +
                          " is neither key=value nor a JSON object; put the whole object into quotes");
  }
  const bool forced = at > 0 && word[at - 1] == ':';
  const std::string_view key = word.substr(0, at - (forced ? 1 : 0));
  if (key.empty()) return argument_error(json_string(word) + " has no key before its \"=\"");
  return assignment{.key = key, .value = word.substr(at + 1), .forced_json = forced};
}

// The types that a schema allows for one member; empty if it specifies none.
std::vector<std::string> types_of(const json::value* property) {
  std::vector<std::string> types;
  const json::object* members = property != nullptr ? property->if_object() : nullptr;
  const json::value* type = members != nullptr ? members->if_contains("type") : nullptr;
  if (type == nullptr) return types;
  if (const json::string* one = type->if_string()) types.emplace_back(*one);
  if (const json::array* several = type->if_array()) {
    for (const json::value& one : *several) {
      if (one.is_string()) types.emplace_back(one.get_string());
    }
  }
  return types;
}

bool is_whole(const json::value& v) {
  return v.is_int64() || v.is_uint64() || (v.is_double() && std::trunc(v.get_double()) == v.get_double());
}

bool is_of(const json::value& v, std::string_view type) {
  if (type == "string") return v.is_string();
  if (type == "boolean") return v.is_bool();
  if (type == "integer") return is_whole(v);
  if (type == "number") return v.is_number();
  if (type == "object") return v.is_object();
  if (type == "array") return v.is_array();
  return type == "null" && v.is_null();
}

std::string one_of(const std::vector<std::string>& types) {
  std::string text;
  for (const std::string& type : types) {
    if (!text.empty()) text += " or ";
    if (type != "null") text += type == "integer" || type == "array" || type == "object" ? "an " : "a ";
    text += type;
  }
  return text;
}

bool contains(const std::vector<std::string>& types, std::string_view type) {
  return std::ranges::find(types, type) != types.end();
}

// One value as JSON text. JSON is kept as written, so that numbers keep their digits.
result<std::string> value_of(const assignment& given, const std::vector<std::string>& types) {
  const std::string subject = "argument " + json_string(given.key) + ": ";
  if (!given.forced_json && types.size() == 1 && types.front() == "string") return json_string(given.value);
  const auto parsed = raw_json{given.value}.parse();
  if (given.forced_json) {
    if (!parsed) return argument_error(subject + "no JSON behind \":=\": " + parsed.error().what);
    return std::string{given.value};
  }
  const bool fits = parsed && std::ranges::any_of(types, [&](const std::string& type) {
                      return type != "string" && is_of(*parsed, type);
                    });
  if (fits || (parsed && types.empty())) return std::string{given.value};
  if (types.empty() || contains(types, "string")) return json_string(given.value);
  return argument_error(subject + json_string(given.value) + " is not " + one_of(types));
}

struct member {
  std::string_view key;
  std::vector<std::string> values{};  // JSON texts
  bool is_array = false;
};

std::string object_of(const std::vector<member>& members) {
  std::string text = "{";
  for (const member& m : members) {
    if (text.size() > 1) text += ',';
    append_quoted(text, m.key);
    text += m.is_array ? ":[" : ":";
    for (std::size_t i = 0; i < m.values.size(); ++i) text.append(i > 0 ? "," : "").append(m.values[i]);
    if (m.is_array) text += ']';
  }
  return text + '}';
}

const json::object* member_object(const json::object& of, std::string_view name) {
  const json::value* found = of.if_contains(name);
  return found != nullptr ? found->if_object() : nullptr;
}

// The keys that a schema defines.
class known_keys {
 public:
  explicit known_keys(std::string_view schema) {
    auto parsed = raw_json{schema}.parse();
    if (parsed && parsed->is_object()) schema_ = std::move(parsed->get_object());
  }

  result<const json::value*> find(std::string_view key) const {
    const json::object* properties = member_object(schema_, "properties");
    const json::value* found = properties != nullptr ? properties->if_contains(key) : nullptr;
    const json::value* others = schema_.if_contains("additionalProperties");
    if (found != nullptr || others == nullptr || !others->is_bool() || others->get_bool()) return found;
    std::string names;
    if (properties != nullptr) {
      for (const auto& property : *properties) names.append(names.empty() ? "" : ", ").append(property.key());
    }
    return argument_error("the tool has no argument " + json_string(key) + "; it takes " +
                          (names.empty() ? "none" : names));
  }

 private:
  json::object schema_;
};

result<void> add_argument(std::vector<member>& members, const assignment& given, const json::value* property) {
  const auto types = types_of(property);
  auto value = value_of(given, types);
  bool element = false;
  if (!value && contains(types, "array") && !given.forced_json) {
    const json::object* inner = property->if_object();
    value = value_of(given, types_of(inner->if_contains("items")));
    element = value.has_value();
  }
  if (!value) return std::move(value).error();
  const auto same = std::ranges::find(members, given.key, &member::key);
  if (same == members.end()) {
    members.push_back({.key = given.key, .values = {std::move(*value)}, .is_array = element});
    return {};
  }
  if (!same->is_array || !element) return argument_error("argument " + json_string(given.key) + " is given twice");
  same->values.push_back(std::move(*value));
  return {};
}

bool is_object_text(std::string_view word) {
  const std::size_t first = word.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && word[first] == '{';
}

}  // namespace

result<std::string> call_arguments(std::span<const std::string> words, std::string_view input_schema) {
  if (words.size() == 1 && is_object_text(words.front())) {
    if (auto valid = validate_json(words.front()); !valid) {
      return prefixed("the arguments are not valid JSON", std::move(valid).error());
    }
    return words.front();
  }
  const known_keys keys{input_schema};
  std::vector<member> members;
  for (const std::string& word : words) {
    const auto given = split(word);
    if (!given) return given.error();
    const auto property = keys.find(given->key);
    if (!property) return property.error();
    if (auto added = add_argument(members, *given, *property); !added) return std::move(added).error();
  }
  return object_of(members);
}

result<std::string> text_arguments(std::span<const std::string> words) {
  std::vector<member> members;
  for (const std::string& word : words) {
    const auto given = split(word);
    if (!given) return given.error();
    if (std::ranges::find(members, given->key, &member::key) != members.end()) {
      return argument_error("argument " + json_string(given->key) + " is given twice");
    }
    members.push_back({.key = given->key, .values = {json_string(given->value)}});
  }
  return object_of(members);
}

}  // namespace hawser::cli

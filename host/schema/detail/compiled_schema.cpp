// SPDX-License-Identifier: MIT
#include "compiled_schema.hpp"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cmath>
#include <set>
#include <utility>

#include "is_one_of.hpp"

namespace hawser::detail {

namespace {

namespace json = boost::json;

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }

std::string quoted(std::string_view keyword) { return '"' + std::string{keyword} + '"'; }

// Some libraries write 2.0 for 2.
std::optional<std::uint64_t> count_of(const json::value& value) {
  if (value.is_uint64()) return value.get_uint64();
  if (value.is_int64() && value.get_int64() >= 0) return static_cast<std::uint64_t>(value.get_int64());
  constexpr double exact = 9007199254740992;  // 2^53
  if (value.is_double() && value.get_double() >= 0 && value.get_double() <= exact &&
      std::trunc(value.get_double()) == value.get_double())
    return static_cast<std::uint64_t>(value.get_double());
  return std::nullopt;
}

// Removes the next reference token from a JSON pointer and unescapes it.
std::string next_name(std::string_view& pointer) {
  pointer.remove_prefix(1);
  const std::size_t end = std::min(pointer.find('/'), pointer.size());
  std::string name;
  for (std::size_t i = 0; i < end; ++i) {
    const bool escape = pointer[i] == '~' && i + 1 < end && (pointer[i + 1] == '0' || pointer[i + 1] == '1');
    name += !escape ? pointer[i] : pointer[++i] == '0' ? '~' : '/';
  }
  pointer.remove_prefix(end);
  return name;
}

const json::value* below(const json::value& value, const std::string& name) {
  if (const json::object* members = value.if_object()) return members->if_contains(name);
  const json::array* elements = value.if_array();
  if (elements == nullptr || name.empty() || name.size() > 9 || name.find_first_not_of("0123456789") != name.npos)
    return nullptr;
  return elements->if_contains(std::stoul(name));
}

// `#/a%20b`: a reference is a URI, so the pointer in it is percent-encoded.
std::string decoded(std::string_view text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0) {
      out += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

result<compiled_schema> compiled_schema::read(const json::value& schema) {
  compiled_schema plan;
  if (const json::object* root = schema.if_object()) plan.read_dialect(*root);
  plan.add(schema);
  if (plan.fault_.empty()) plan.resolve(schema);
  if (plan.fault_.empty()) {
    std::vector<std::uint8_t> state(plan.nodes_.size());
    for (std::size_t at = 0; at < plan.nodes_.size() && plan.fault_.empty(); ++at) plan.find_circles(at, state);
  }
  if (!plan.fault_.empty()) return error{.code = errc::protocol, .what = "schema: " + plan.fault_};
  if (plan.lossy_) {
    plan.propagate_loss();
    plan.drop_lossy_keywords();
  }
  return plan;
}

void compiled_schema::refuse(std::string why) {
  if (fault_.empty()) fault_ = std::move(why);
}

void compiled_schema::read_dialect(const json::object& root) {
  const json::value* dialect = root.if_contains("$schema");
  if (dialect == nullptr) return;
  const json::string* text = dialect->if_string();
  std::string_view uri = text != nullptr ? view(*text) : std::string_view{};
  if (uri.ends_with('#')) uri.remove_suffix(1);
  draft_7_ = is_one_of(uri, {"http://json-schema.org/draft-07/schema", "https://json-schema.org/draft-07/schema"});
  if (!draft_7_ && uri != "https://json-schema.org/draft/2020-12/schema")
    refuse("its dialect is not supported: 2020-12 and draft 7 are");
}

std::size_t compiled_schema::add(const json::value& schema) {
  const std::size_t at = nodes_.size();
  nodes_.emplace_back();
  places_.emplace(&schema, at);
  if (schema.is_bool()) {
    nodes_[at].is = schema.get_bool() ? node::kind::everything : node::kind::nothing;
    return at;
  }
  const json::object* members = schema.if_object();
  if (members == nullptr) {
    refuse("what stands for a schema is neither an object nor true or false");
    return at;
  }
  for (const auto& [keyword, value] : *members) add_keyword(at, {keyword.data(), keyword.size()}, value);
  // `additionalItems` applies only beside an array form of `items`.
  if (const json::value* items = members->if_contains("items"); items != nullptr && items->is_array())
    nodes_[at].items = nodes_[at].additional_items;
  return at;
}

void compiled_schema::add_keyword(std::size_t at, std::string_view keyword, const json::value& value) {
  const json::string* text = value.if_string();
  const std::string_view word = text != nullptr ? view(*text) : std::string_view{};
  if (keyword == "$ref") {
    if (text == nullptr) return refuse("a \"$ref\" is not a text");
    nodes_[at].reference = 0;  // until resolved
    nodes_[at].reference_text = word;
  } else if (is_one_of(keyword, {"$anchor", "$dynamicAnchor"})) {
    anchors_.emplace(word, at);
  } else if (keyword == "$id" && word.starts_with('#')) {  // an anchor in draft 7
    anchors_.emplace(word.substr(1), at);
  } else if (keyword == "$id" && at != 0) {
    refuse("a nested \"$id\" is not supported");
  } else if (is_one_of(keyword, {"$dynamicRef", "$recursiveRef"})) {
    refuse(quoted(keyword) + " is not supported");
  } else if (is_one_of(keyword, {"pattern", "patternProperties"})) {
    nodes_[at].lossy = lossy_ = true;
    nodes_[at].has_patterns = nodes_[at].has_patterns || keyword == "patternProperties";
  } else if (!add_schemas(at, keyword, value)) {
    add_limits(at, keyword, value);
  }
}

std::vector<std::size_t> compiled_schema::listed(std::string_view keyword, const json::value& value) {
  std::vector<std::size_t> all;
  const json::array* entries = value.if_array();
  if (entries == nullptr) {
    refuse(quoted(keyword) + " is not a list of schemas");
    return all;
  }
  for (const json::value& one : *entries) all.push_back(add(one));
  return all;
}

std::vector<std::string_view> compiled_schema::names_in(std::string_view keyword, const json::value& value) {
  std::vector<std::string_view> names;
  const json::array* entries = value.if_array();
  if (entries == nullptr) refuse(quoted(keyword) + " is not a list of names");
  for (std::size_t i = 0; entries != nullptr && i < entries->size(); ++i) {
    const json::string* name = (*entries)[i].if_string();
    if (name == nullptr) refuse(quoted(keyword) + " is not a list of names");
    if (name != nullptr) names.push_back(view(*name));
  }
  return names;
}

// Keywords that contain schemas. Keywords unknown to the dialect have no effect, but their schemas may be referenced.
// Nodes are looked up again after every add(), which may reallocate them.
bool compiled_schema::add_schemas(std::size_t at, std::string_view keyword, const json::value& value) {
  struct single {
    std::string_view keyword;
    std::size_t node::* place;
    bool since_2019;
  };
  static constexpr std::array<single, 11> singles{{
      {"not", &node::negated, false},
      {"if", &node::condition, false},
      {"then", &node::consequence, false},
      {"else", &node::alternative, false},
      {"contains", &node::contains, false},
      {"propertyNames", &node::property_names, false},
      {"additionalProperties", &node::additional_properties, false},
      {"unevaluatedItems", &node::unevaluated_items, true},
      {"unevaluatedProperties", &node::unevaluated_properties, true},
      {"items", &node::items, false},
      {"additionalItems", &node::additional_items, false},
  }};
  if (keyword == "items" && value.is_array()) {  // draft 7
    auto all = listed(keyword, value);
    nodes_[at].prefix_items = std::move(all);
    return true;
  }
  for (const single& one : singles) {
    if (one.keyword != keyword) continue;
    const std::size_t child = add(value);
    if (!draft_7_ || !one.since_2019) nodes_[at].*one.place = child;
    return true;
  }
  if (is_one_of(keyword, {"allOf", "anyOf", "oneOf", "prefixItems"})) {
    auto all = listed(keyword, value);
    if (all.empty() && keyword != "prefixItems") refuse(quoted(keyword) + " is not a list of schemas");
    if (keyword == "allOf")
      nodes_[at].all_of = std::move(all);
    else if (keyword == "anyOf")
      nodes_[at].any_of = std::move(all);
    else if (keyword == "oneOf")
      nodes_[at].one_of = std::move(all);
    else if (!draft_7_)
      nodes_[at].prefix_items = std::move(all);
    return true;
  }
  if (is_one_of(keyword, {"properties", "$defs", "definitions"})) {
    const json::object* entries = value.if_object();
    if (entries == nullptr) refuse(quoted(keyword) + " is not an object of schemas");
    if (entries == nullptr) return true;
    for (const auto& [name, schema] : *entries) {
      const std::size_t child = add(schema);
      if (keyword == "properties") nodes_[at].properties.emplace(std::string_view{name.data(), name.size()}, child);
    }
    return true;
  }
  if (!is_one_of(keyword, {"dependentSchemas", "dependentRequired", "dependencies"})) return false;
  add_dependencies(at, keyword, value);
  return true;
}

// Draft 7 has one keyword for names and schemas; later drafts have two.
void compiled_schema::add_dependencies(std::size_t at, std::string_view keyword, const json::value& value) {
  const json::object* entries = value.if_object();
  if (entries == nullptr) return refuse(quoted(keyword) + " is not an object");
  const bool means_something = !draft_7_ || keyword == "dependencies";
  for (const auto& [key, needed] : *entries) {
    const std::string_view name{key.data(), key.size()};
    const bool names = keyword == "dependentRequired" || (keyword == "dependencies" && needed.is_array());
    if (names) {
      for (const std::string_view one : names_in(keyword, needed))
        if (means_something) nodes_[at].dependent_required.emplace_back(name, one);
    } else {
      const std::size_t child = add(needed);
      if (means_something) nodes_[at].dependent_schemas.emplace_back(name, child);
    }
  }
}

void compiled_schema::add_types(std::size_t at, const json::value& value) {
  static constexpr std::array<std::pair<std::string_view, value_type>, 7> words{{{"null", null_type},
                                                                                 {"boolean", boolean_type},
                                                                                 {"integer", integer_type},
                                                                                 {"number", number_type},
                                                                                 {"string", string_type},
                                                                                 {"array", array_type},
                                                                                 {"object", object_type}}};
  const auto add_one = [&](const json::value& one) {
    const json::string* text = one.if_string();
    const auto* found = std::find_if(words.begin(), words.end(),
                                     [&](const auto& word) { return text != nullptr && word.first == view(*text); });
    if (found == words.end()) return refuse("\"type\" is not one of the types of JSON");
    nodes_[at].types |= found->second;
  };
  const json::array* several = value.if_array();
  if (several == nullptr) return add_one(value);
  if (several->empty()) refuse("\"type\" is an empty list");
  for (const json::value& one : *several) add_one(one);
}

// Keywords that constrain a value directly.
bool compiled_schema::add_limits(std::size_t at, std::string_view keyword, const json::value& value) {
  struct count {
    std::string_view keyword;
    std::optional<std::uint64_t> node::* place;
    bool since_2019;
  };
  static constexpr std::array<count, 8> counts{{{"maxLength", &node::max_length, false},
                                                {"minLength", &node::min_length, false},
                                                {"maxItems", &node::max_items, false},
                                                {"minItems", &node::min_items, false},
                                                {"maxProperties", &node::max_properties, false},
                                                {"minProperties", &node::min_properties, false},
                                                {"maxContains", &node::max_contains, true},
                                                {"minContains", &node::min_contains, true}}};
  for (const count& one : counts) {
    if (one.keyword != keyword) continue;
    const auto number = count_of(value);
    if (!number) refuse(quoted(keyword) + " is not a count");
    if (!draft_7_ || !one.since_2019) nodes_[at].*one.place = number;
    return true;
  }
  struct bound {
    std::string_view keyword;
    const json::value* node::* place;
  };
  static constexpr std::array<bound, 5> bounds{{{"multipleOf", &node::multiple_of},
                                                {"maximum", &node::maximum},
                                                {"exclusiveMaximum", &node::exclusive_maximum},
                                                {"minimum", &node::minimum},
                                                {"exclusiveMinimum", &node::exclusive_minimum}}};
  for (const bound& one : bounds) {
    if (one.keyword != keyword) continue;
    if (!value.is_number()) refuse(quoted(keyword) + " is not a number");
    if (value.is_number() && keyword == "multipleOf" && !(value.to_number<double>() > 0))
      refuse("\"multipleOf\" is not more than 0");
    nodes_[at].*one.place = &value;
    return true;
  }
  if (keyword == "type") {
    add_types(at, value);
  } else if (keyword == "enum") {
    node& n = nodes_[at];
    n.choices = value.if_array();
    if (n.choices == nullptr) refuse("\"enum\" is not a list");
    for (std::size_t i = 0; n.choices != nullptr && i < n.choices->size(); ++i)
      if (const json::string* text = (*n.choices)[i].if_string()) n.choice_texts.push_back(view(*text));
    std::sort(n.choice_texts.begin(), n.choice_texts.end());
  } else if (keyword == "const") {
    nodes_[at].constant = &value;
  } else if (keyword == "required") {
    // Deduplicated: a repeated name deep in its bucket would be looked up each time.
    std::set<std::string_view> seen;
    nodes_[at].required = names_in(keyword, value);
    std::erase_if(nodes_[at].required, [&](std::string_view name) { return !seen.insert(name).second; });
  } else if (keyword == "uniqueItems") {
    if (!value.is_bool()) refuse("\"uniqueItems\" is neither true nor false");
    nodes_[at].unique_items = value.is_bool() && value.get_bool();
  } else {
    return false;
  }
  return true;
}

std::size_t compiled_schema::place_of(const json::value& root, std::string_view reference) const {
  if (!reference.starts_with('#')) return none;
  const std::string fragment = decoded(reference.substr(1));
  if (!fragment.empty() && fragment.front() != '/') {
    const auto anchor = anchors_.find(fragment);
    return anchor != anchors_.end() ? anchor->second : none;
  }
  const json::value* at = &root;
  for (std::string_view rest = fragment; at != nullptr && !rest.empty();) at = below(*at, next_name(rest));
  const auto place = at != nullptr ? places_.find(at) : places_.end();
  return place != places_.end() ? place->second : none;
}

void compiled_schema::resolve(const json::value& root) {
  for (node& n : nodes_) {
    if (n.reference == none) continue;
    n.reference = place_of(root, n.reference_text);
    if (n.reference == none) return refuse("a \"$ref\" leads to no schema inside of it");
    if (!draft_7_) continue;
    node alone;  // draft 7: siblings of $ref are ignored
    alone.reference = n.reference;
    n = std::move(alone);
  }
}

std::vector<std::size_t> compiled_schema::applied_to_same(const node& n) {
  std::vector<std::size_t> all;
  for (const auto* list : {&n.all_of, &n.any_of, &n.one_of}) all.insert(all.end(), list->begin(), list->end());
  for (const auto& [name, child] : n.dependent_schemas) all.push_back(child);
  for (const std::size_t one : {n.reference, n.negated, n.condition, n.consequence, n.alternative})
    if (one != none) all.push_back(one);
  return all;
}

std::vector<std::size_t> compiled_schema::applied(const node& n) {
  std::vector<std::size_t> all = applied_to_same(n);
  for (const auto& [name, child] : n.properties) all.push_back(child);
  all.insert(all.end(), n.prefix_items.begin(), n.prefix_items.end());
  for (const std::size_t one :
       {n.items, n.contains, n.property_names, n.additional_properties, n.unevaluated_items, n.unevaluated_properties})
    if (one != none) all.push_back(one);
  return all;
}

// A schema that applies itself to the same value would recurse forever.
void compiled_schema::find_circles(std::size_t at, std::vector<std::uint8_t>& state) {
  enum : std::uint8_t { unseen, open, done };
  if (state[at] == done) return;
  if (state[at] == open) return refuse("it refers to itself in a circle");
  state[at] = open;
  for (const std::size_t child : applied_to_same(nodes_[at])) {
    find_circles(child, state);
    if (!fault_.empty()) return;
  }
  state[at] = done;
}

// Marks every schema that applies a lossy one as lossy.
void compiled_schema::propagate_loss() {
  std::vector<std::vector<std::size_t>> users(nodes_.size());
  std::vector<std::size_t> lossy;
  for (std::size_t at = 0; at < nodes_.size(); ++at) {
    for (const std::size_t child : applied(nodes_[at])) users[child].push_back(at);
    if (nodes_[at].lossy) lossy.push_back(at);
  }
  while (!lossy.empty()) {
    const std::size_t at = lossy.back();
    lossy.pop_back();
    for (const std::size_t user : users[at])
      if (!std::exchange(nodes_[user].lossy, true)) lossy.push_back(user);
  }
}

// A schema with unenforced keywords accepts too much. Removes keywords that would turn this into wrong rejections
// (`not`, `oneOf`, `if`), and those that depend on what was evaluated.
void compiled_schema::drop_lossy_keywords() {
  const auto is_lossy = [&](std::size_t at) { return at != none && nodes_[at].lossy; };
  for (node& n : nodes_) {
    if (is_lossy(n.negated)) n.negated = none;
    if (std::any_of(n.one_of.begin(), n.one_of.end(), is_lossy)) n.one_of.clear();
    if (is_lossy(n.condition)) n.condition = n.consequence = n.alternative = none;
    if (is_lossy(n.contains)) n.max_contains.reset();
    if (n.has_patterns) n.additional_properties = none;
    n.unevaluated_items = n.unevaluated_properties = none;
  }
}

}  // namespace hawser::detail

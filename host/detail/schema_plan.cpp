// SPDX-License-Identifier: MIT
#include "schema_plan.hpp"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cmath>
#include <utility>

#include "is_one_of.hpp"
#include "json_pointer.hpp"

namespace hawser::detail {

namespace {

namespace json = boost::json;

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }

// Some libraries write 2.0 where they mean 2.
bool is_count(const json::value& value) {
  if (value.is_uint64()) return true;
  if (value.is_int64()) return value.get_int64() >= 0;
  constexpr double exact = 9007199254740992;  // 2^53
  return value.is_double() && value.get_double() >= 0 && value.get_double() <= exact &&
         std::trunc(value.get_double()) == value.get_double();
}

// `#/a%20b`: a reference is a URI, a pointer in it is percent-encoded.
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

result<schema_plan> schema_plan::read(const json::value& schema) {
  schema_plan plan;
  if (const json::object* root = schema.if_object()) plan.read_dialect(*root);
  plan.add(schema, "#");
  if (plan.fault_.empty()) plan.resolve();
  if (plan.fault_.empty()) {
    std::vector<std::uint8_t> state(plan.nodes_.size());
    for (std::size_t at = 0; at < plan.nodes_.size(); ++at) plan.measure(at, state);
    plan.spread_loss();
  }
  if (!plan.fault_.empty()) return error{.code = errc::protocol, .what = "schema: " + plan.fault_};
  return plan;
}

void schema_plan::refuse(std::string why) {
  if (fault_.empty()) fault_ = std::move(why);
}

void schema_plan::read_dialect(const json::object& root) {
  const json::value* dialect = root.if_contains("$schema");
  if (dialect == nullptr) return;
  const json::string* text = dialect->if_string();
  std::string_view uri = text != nullptr ? view(*text) : std::string_view{};
  if (uri.ends_with('#')) uri.remove_suffix(1);
  draft_7_ = is_one_of(uri, {"http://json-schema.org/draft-07/schema", "https://json-schema.org/draft-07/schema"});
  if (!draft_7_ && uri != "https://json-schema.org/draft/2020-12/schema")
    refuse("its dialect is not supported: 2020-12 and draft 7 are");
}

std::size_t schema_plan::add(const json::value& schema, const std::string& pointer) {
  const std::size_t at = nodes_.size();
  nodes_.push_back({.schema = &schema});
  places_.emplace(pointer, at);
  if (schema.is_bool()) return at;
  const json::object* members = schema.if_object();
  if (members == nullptr) {
    refuse("what stands for a schema is neither an object nor true or false");
    return at;
  }
  for (const auto& [keyword, value] : *members) add_keyword(at, keyword, value, pointer);
  return at;
}

void schema_plan::add_keyword(std::size_t at, std::string_view keyword, const json::value& value,
                              const std::string& pointer) {
  using form = edge::form;
  struct applicator {
    std::string_view keyword;
    form how;
    reach to;
  };
  static constexpr std::array<applicator, 20> applicators{{
      {"properties", form::named, reach::one},
      {"$defs", form::named, reach::never},
      {"definitions", form::named, reach::never},
      {"dependentSchemas", form::named, reach::same},
      {"dependencies", form::named, reach::same},
      {"allOf", form::listed, reach::same},
      {"anyOf", form::listed, reach::same},
      {"oneOf", form::listed, reach::same},
      {"prefixItems", form::listed, reach::one},
      {"not", form::single, reach::same},
      {"if", form::single, reach::same},
      {"then", form::single, reach::same},
      {"else", form::single, reach::same},
      {"items", form::single, reach::each},
      {"additionalItems", form::single, reach::each},
      {"additionalProperties", form::single, reach::each},
      {"contains", form::single, reach::each},
      {"propertyNames", form::single, reach::each},
      {"unevaluatedItems", form::single, reach::each},
      {"unevaluatedProperties", form::single, reach::each},
  }};
  const auto* found =
      std::find_if(applicators.begin(), applicators.end(), [&](const applicator& a) { return a.keyword == keyword; });
  if (found == applicators.end()) return add_word(at, keyword, value);
  edge one{.keyword = std::string{keyword}, .name = {}, .how = found->how, .to = found->to, .child = 0};
  if (keyword == "items" && value.is_array()) {  // as draft 7 has it
    one.how = form::listed;
    one.to = reach::one;
  }
  add_children(at, one, value, pointer_below(pointer, keyword));
}

void schema_plan::add_children(std::size_t at, edge one, const json::value& value, const std::string& pointer) {
  const auto add_child = [&](const json::value& schema, const std::string& where) {
    one.child = add(schema, where);
    nodes_[at].edges.push_back(one);
  };
  if (one.how == edge::form::single) return add_child(value, pointer);
  if (one.how == edge::form::listed) {
    const json::array* entries = value.if_array();
    if (entries == nullptr || (entries->empty() && one.to == reach::same))
      return refuse('"' + one.keyword + "\" is not a list of schemas");
    for (std::size_t i = 0; i < entries->size(); ++i)
      add_child((*entries)[i], pointer_below(pointer, std::to_string(i)));
    return;
  }
  const json::object* entries = value.if_object();
  if (entries == nullptr) return refuse('"' + one.keyword + "\" is not an object of schemas");
  for (const auto& [name, schema] : *entries) {
    if (one.keyword == "dependencies" && schema.is_array()) continue;  // names of members, not a schema
    one.name = name;
    add_child(schema, pointer_below(pointer, name));
  }
}

// What has no schemas in it.
void schema_plan::add_word(std::size_t at, std::string_view keyword, const json::value& value) {
  const json::string* text = value.if_string();
  const std::string word = text != nullptr ? std::string{view(*text)} : std::string{};
  if (is_one_of(keyword, {"pattern", "patternProperties"})) {
    nodes_[at].lossy = lossy_ = true;
  } else if (is_one_of(keyword, {"$dynamicRef", "$recursiveRef"})) {
    refuse('"' + std::string{keyword} + "\" is not supported");
  } else if (keyword == "$ref") {
    if (text == nullptr) return refuse("a \"$ref\" is not a text");
    nodes_[at].edges.push_back(
        {.keyword = "$ref", .name = word, .how = edge::form::reference, .to = reach::same, .child = 0});
  } else if (is_one_of(keyword, {"$anchor", "$dynamicAnchor"})) {
    places_.emplace('#' + word, at);
  } else if (keyword == "$id" && word.starts_with('#')) {  // an anchor, as draft 7 has it
    places_.emplace(word, at);
  } else if (keyword == "$id" && at != 0) {
    refuse("a nested \"$id\" is not supported");
  } else if (keyword == "multipleOf" && value.is_number() && value.to_number<double>() <= 0) {
    refuse("\"multipleOf\" is not more than 0");
  } else if (is_one_of(keyword, {"maxLength", "minLength", "maxItems", "minItems", "maxContains", "minContains",
                                 "maxProperties", "minProperties"}) &&
             !is_count(value)) {
    refuse('"' + std::string{keyword} + "\" is not a count");
  }
}

void schema_plan::resolve() {
  for (node& n : nodes_) {
    for (edge& e : n.edges) {
      if (e.how != edge::form::reference) continue;
      const auto place = places_.find(decoded(e.name));
      if (place == places_.end()) return refuse("a \"$ref\" leads to no schema inside of it");
      e.child = place->second;
    }
  }
}

// A schema that comes back to itself without going down in the value would be checked for ever.
void schema_plan::measure(std::size_t at, std::vector<std::uint8_t>& state) {
  enum : std::uint8_t { unseen, open, done };
  if (state[at] == done) return;
  if (state[at] == open) return refuse("it refers to itself in a circle");
  state[at] = open;
  for (const edge& e : nodes_[at].edges) {
    if (e.to != reach::same) continue;
    measure(e.child, state);
    if (!fault_.empty()) return;
    nodes_[at].height = std::max(nodes_[at].height, nodes_[e.child].height + 1);
  }
  state[at] = done;
}

void schema_plan::spread_loss() {
  for (bool changed = lossy_; changed;) {
    changed = false;
    for (std::size_t at = nodes_.size(); at-- > 0;) {  // from behind: but for references, children stand behind parents
      node& n = nodes_[at];
      if (n.lossy) continue;
      n.lossy = std::any_of(n.edges.begin(), n.edges.end(),
                            [&](const edge& e) { return e.to != reach::never && nodes_[e.child].lossy; });
      changed = changed || n.lossy;
    }
  }
}

}  // namespace hawser::detail

// SPDX-License-Identifier: MIT
#include "schema_plan.hpp"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <utility>

namespace hawser::detail {

namespace {

namespace json = boost::json;

constexpr std::size_t too_many = std::size_t{1} << 40;

// Keywords that judge a value by themselves and are handed on as they are.
constexpr std::array<std::string_view, 19> plain_keywords{
    "$ref",        "type",        "enum",          "const",         "multipleOf", "maximum",     "exclusiveMaximum",
    "minimum",     "maxLength",   "minLength",     "maxItems",      "minItems",   "uniqueItems", "exclusiveMinimum",
    "maxContains", "minContains", "maxProperties", "minProperties", "required"};

bool any_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}
bool is_plain(std::string_view keyword) {
  return keyword == "dependentRequired" ||
         std::find(plain_keywords.begin(), plain_keywords.end(), keyword) != plain_keywords.end();
}

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }
std::string below(const std::string& pointer, std::string_view name) {
  std::string out = pointer + '/';
  for (const char c : name) {
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  }
  return out;
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

std::size_t plus(std::size_t a, std::size_t b) noexcept { return std::min(a + b, too_many); }

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
  draft_7_ = any_of(uri, {"http://json-schema.org/draft-07/schema", "https://json-schema.org/draft-07/schema"});
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

void schema_plan::add_child(std::size_t at, edge one, const json::value& schema, const std::string& pointer) {
  one.child = add(schema, pointer);
  nodes_[at].edges.push_back(std::move(one));
}

void schema_plan::add_keyword(std::size_t at, const std::string& keyword, const json::value& value,
                              const std::string& pointer) {
  using form = edge::form;
  const std::string here = below(pointer, keyword);
  const auto named = [&](reach to) {
    const json::object* entries = value.if_object();
    if (entries == nullptr) return refuse("\"" + keyword + "\" is not an object");
    for (const auto& [name, schema] : *entries) {
      if (keyword == "dependencies" && schema.is_array()) continue;  // names of members, not a schema
      add_child(at, {.keyword = keyword, .name = name, .how = form::named, .to = to, .child = 0}, schema,
                below(here, name));
    }
  };
  const auto listed = [&](reach to) {
    const json::array* entries = value.if_array();
    if (entries == nullptr) return refuse("\"" + keyword + "\" is not an array");
    if (entries->empty() && to == reach::same) return refuse("\"" + keyword + "\" is empty");
    for (std::size_t i = 0; i < entries->size(); ++i)
      add_child(at, {.keyword = keyword, .name = {}, .how = form::listed, .to = to, .child = 0}, (*entries)[i],
                below(here, std::to_string(i)));
  };
  const auto single = [&](reach to) {
    add_child(at, {.keyword = keyword, .name = {}, .how = form::single, .to = to, .child = 0}, value, here);
  };
  const json::string* text = value.if_string();
  if (any_of(keyword, {"pattern", "patternProperties"}))
    nodes_[at].lossy = lossy_ = true;
  else if (keyword == "properties")
    named(reach::one);
  else if (any_of(keyword, {"$defs", "definitions"}))
    named(reach::never);
  else if (any_of(keyword, {"dependentSchemas", "dependencies"}))
    named(reach::same);
  else if (any_of(keyword, {"allOf", "anyOf", "oneOf"}))
    listed(reach::same);
  else if (keyword == "prefixItems" || (keyword == "items" && value.is_array()))
    listed(reach::one);
  else if (any_of(keyword, {"not", "if", "then", "else"}))
    single(reach::same);
  else if (any_of(keyword, {"items", "additionalItems", "additionalProperties", "contains", "propertyNames",
                            "unevaluatedItems", "unevaluatedProperties"}))
    single(reach::each);
  else if (any_of(keyword, {"$dynamicRef", "$recursiveRef"}))
    refuse("\"" + keyword + "\" is not supported");
  else if (keyword == "$ref" && text == nullptr)
    refuse("a \"$ref\" is not a text");
  else if (keyword == "$ref")
    nodes_[at].edges.push_back(
        {.keyword = keyword, .name = std::string{view(*text)}, .how = form::reference, .to = reach::same, .child = 0});
  else if (any_of(keyword, {"$anchor", "$dynamicAnchor"}) && text != nullptr)
    places_.emplace('#' + std::string{view(*text)}, at);
  else if (keyword == "$id" && text != nullptr && text->starts_with('#'))
    places_.emplace(std::string{view(*text)}, at);
  else if (keyword == "$id" && at != 0)
    refuse("a nested \"$id\" is not supported");
  else if (keyword == "multipleOf" && value.is_number() && value.to_number<double>() <= 0)
    refuse("\"multipleOf\" is not more than 0");
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

std::size_t schema_plan::steps_deep(const instance_shape& instance) const noexcept {
  std::size_t height = 0;
  for (const node& n : nodes_) height = std::max(height, n.height);
  return (height + 1) * (instance.depth + 1);
}

std::size_t schema_plan::own_steps(const node& n, const instance_shape& instance) const noexcept {
  std::size_t own = 1;
  const json::object* members = n.schema->if_object();
  if (members == nullptr) return own;
  own += members->size();
  if (const json::value* choices = members->if_contains("enum"); choices != nullptr && choices->is_array())
    own += choices->get_array().size();
  if (const json::value* unique = members->if_contains("uniqueItems"); unique != nullptr && *unique == true)
    own += instance.longest_array;  // every element is compared with every other
  return own;
}

// For each schema, what it costs along one way down in the value, level by level from the deepest.
std::size_t schema_plan::steps(const instance_shape& instance) const {
  std::vector<std::size_t> deeper(nodes_.size(), 0);
  std::vector<std::size_t> order(nodes_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return nodes_[a].height < nodes_[b].height; });
  for (std::size_t level = 0; level <= instance.depth; ++level) {
    std::vector<std::size_t> now(nodes_.size(), 0);
    for (const std::size_t at : order) {
      std::size_t sum = own_steps(nodes_[at], instance);
      std::size_t largest_one = 0;
      for (const edge& e : nodes_[at].edges) {
        if (e.to == reach::same) sum = plus(sum, now[e.child]);
        if (e.to == reach::each) sum = plus(sum, deeper[e.child]);
        if (e.to == reach::one) largest_one = std::max(largest_one, deeper[e.child]);
      }
      now[at] = plus(sum, largest_one);
    }
    deeper = std::move(now);
  }
  const std::size_t each = deeper.front();
  return each > too_many / std::max<std::size_t>(instance.values, 1) ? too_many : each * instance.values;
}

// Where something is not enforced, more passes than should: what turns that into less, or builds on what passed, goes.
bool schema_plan::keeps(const node& n, const std::string& keyword) const {
  const auto child_lossy = [&](std::string_view of) {
    return std::any_of(n.edges.begin(), n.edges.end(),
                       [&](const edge& e) { return e.keyword == of && nodes_[e.child].lossy; });
  };
  if (!lossy_) return true;
  if (keyword == "not" || keyword == "oneOf") return !child_lossy(keyword);
  if (any_of(keyword, {"if", "then", "else"})) return !child_lossy("if");
  if (keyword == "maxContains") return !child_lossy("contains");
  if (any_of(keyword, {"unevaluatedItems", "unevaluatedProperties"})) return false;
  if (keyword == "additionalProperties") return !n.schema->get_object().contains("patternProperties");
  return true;
}

json::value schema_plan::rebuilt(std::size_t at) const {
  const node& n = nodes_[at];
  if (n.schema->is_bool()) return *n.schema;
  const json::object& source = n.schema->get_object();
  json::object out;
  for (const auto& [keyword, value] : source) {
    const std::string_view word{keyword.data(), keyword.size()};
    const bool anchor = any_of(word, {"$anchor", "$dynamicAnchor"}) || (word == "$id" && at != 0);
    if ((is_plain(word) || anchor) && keeps(n, std::string{word})) out.emplace(keyword, value);
    if (word != "dependencies") continue;
    json::object& names = out[keyword].emplace_object();
    for (const auto& [name, needed] : value.get_object())
      if (needed.is_array()) names.emplace(name, needed);
  }
  for (const edge& e : n.edges) {
    if (e.how == edge::form::reference || !keeps(n, e.keyword)) continue;
    if (e.how == edge::form::single) out[e.keyword] = rebuilt(e.child);
    if (e.how == edge::form::listed) {
      if (!out.contains(e.keyword)) out[e.keyword] = json::array{};
      out[e.keyword].get_array().push_back(rebuilt(e.child));
    }
    if (e.how == edge::form::named) {
      if (!out.contains(e.keyword)) out[e.keyword] = json::object{};
      out[e.keyword].get_object().emplace(e.name, rebuilt(e.child));
    }
  }
  return out;
}

}  // namespace hawser::detail

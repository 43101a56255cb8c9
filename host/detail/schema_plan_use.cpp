// SPDX-License-Identifier: MIT
// What a plan is good for: what a check costs, and the schema that is handed on.
#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <utility>

#include "is_one_of.hpp"
#include "schema_plan.hpp"

namespace hawser::detail {

namespace {

namespace json = boost::json;

constexpr std::size_t too_many = std::size_t{1} << 40;

// Keywords that judge a value by themselves and are handed on as they are.
constexpr std::array<std::string_view, 12> plain_words{"$ref",
                                                       "type",
                                                       "enum",
                                                       "const",
                                                       "multipleOf",
                                                       "maximum",
                                                       "exclusiveMaximum",
                                                       "minimum",
                                                       "required",
                                                       "uniqueItems",
                                                       "exclusiveMinimum",
                                                       "dependentRequired"};
constexpr std::array<std::string_view, 8> count_words{"maxLength",   "minLength",   "maxItems",      "minItems",
                                                      "maxContains", "minContains", "maxProperties", "minProperties"};

template <class Words>
bool contains(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}
bool is_count_word(std::string_view word) { return contains(count_words, word); }
bool is_plain(std::string_view word) { return contains(plain_words, word) || is_count_word(word); }

std::size_t plus(std::size_t a, std::size_t b) noexcept { return std::min(a + b, too_many); }

}  // namespace

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
bool schema_plan::keeps(const node& n, std::string_view keyword) const {
  const auto child_lossy = [&](std::string_view of) {
    return std::any_of(n.edges.begin(), n.edges.end(),
                       [&](const edge& e) { return e.keyword == of && nodes_[e.child].lossy; });
  };
  if (!lossy_) return true;
  if (keyword == "not" || keyword == "oneOf") return !child_lossy(keyword);
  if (is_one_of(keyword, {"if", "then", "else"})) return !child_lossy("if");
  if (keyword == "maxContains") return !child_lossy("contains");
  if (is_one_of(keyword, {"unevaluatedItems", "unevaluatedProperties"})) return false;
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
    const bool anchor = is_one_of(word, {"$anchor", "$dynamicAnchor"}) || (word == "$id" && at != 0);
    if ((is_plain(word) || anchor) && keeps(n, word)) {
      // Counts may have come as 2.0; who reads them expects integers.
      out.emplace(keyword, is_count_word(word) ? json::value(value.to_number<std::uint64_t>()) : value);
    }
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

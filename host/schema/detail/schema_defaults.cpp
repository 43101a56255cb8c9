// SPDX-License-Identifier: MIT
#include "schema_defaults.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "../../../transports/json/json_tree.hpp"

namespace hawser::detail {

namespace {

namespace json = boost::json;

// Schemas come from servers: a recursive schema, or a default of a megabyte for each of a million elements, must not
// run forever. The number of steps is bounded by the size of the value plus a constant. A property costs a step plus
// some by the size of the object, a reference some by its length, a default as many as its size. When the steps are
// used up, the remaining defaults are not filled in.
constexpr int max_defaults_depth = 64;
constexpr std::size_t fewest_defaults_steps = std::size_t{512} << 10;
constexpr std::size_t comparisons_per_step = 8;

std::size_t size_of(const json::value& value) {
  std::size_t size = 16;
  if (const json::string* text = value.if_string()) return size + text->size();
  if (const json::array* elements = value.if_array())
    for (const json::value& element : *elements) size += size_of(element);
  if (const json::object* members = value.if_object())
    for (const auto& [name, member] : *members) size += name.size() + size_of(member);
  return size;
}

std::size_t members_of_largest(const json::value& value) {
  std::size_t most = 0;
  if (const json::array* elements = value.if_array())
    for (const json::value& element : *elements) most = std::max(most, members_of_largest(element));
  if (const json::object* members = value.if_object()) {
    most = members->size();
    for (const auto& [name, member] : *members) most = std::max(most, members_of_largest(member));
  }
  return most;
}

class filler {
 public:
  filler(const json::value& root, std::size_t steps)
      : root_(root), left_(steps), largest_object_(members_of_largest(root)) {}

  void fill(json::value& value, const json::value& schema, int depth) {
    const json::object* rules = resolved(schema, depth);
    if (rules == nullptr || depth >= max_defaults_depth || !step()) return;
    if (json::object* members = value.if_object()) {
      if (const json::value* properties = rules->if_contains("properties"))
        if (const json::object* each = properties->if_object()) fill_members(*members, *each, depth);
    } else if (json::array* elements = value.if_array()) {
      if (const json::value* items = rules->if_contains("items"))
        for (json::value& element : *elements) fill(element, *items, depth + 1);
    }
  }

 private:
  bool step(std::size_t cost = 1) noexcept {
    if (cost > left_) return false;
    left_ -= cost;
    return true;
  }

  static std::size_t cost_of_lookup(const json::object& in) noexcept {
    return 1 + longest_lookup(in.size()) / comparisons_per_step;
  }

  struct absent_member {
    json::string_view name;
    const json::value* standard;
  };

  void fill_members(json::object& members, const json::object& properties, int depth) {
    std::vector<absent_member> absent;
    for (const auto& [name, schema] : properties) {
      if (!step(cost_of_lookup(members))) break;
      json::value* member = members.if_contains(name);
      if (member == nullptr) {
        const json::object* rules = resolved(schema, depth);
        const json::value* standard = rules != nullptr ? rules->if_contains("default") : nullptr;
        if (standard != nullptr && step(size_of(*standard))) absent.push_back({name, standard});
      } else {
        fill(*member, schema, depth + 1);
      }
    }
    if (!absent.empty()) add(members, absent);
  }

  // Neither the names of the value nor those of the schema collide by themselves, but in a hash table of another size
  // both may fall into one bucket. Then no default is added.
  static void add(json::object& members, const std::vector<absent_member>& absent) {
    members.reserve(members.size() + absent.size());
    std::vector<std::string_view> names;
    names.reserve(members.size() + absent.size());
    for (const auto& [name, value] : members) names.emplace_back(name.data(), name.size());
    for (const absent_member& one : absent) names.emplace_back(one.name.data(), one.name.size());
    if (names_collide(names, members.capacity())) return;
    for (const absent_member& one : absent) members.emplace(one.name, *one.standard);
  }

  // Only `#` and `#/…`; other documents are never fetched.
  const json::object* resolved(const json::value& schema, int depth) {
    const json::object* rules = schema.if_object();
    for (int hops = depth; rules != nullptr && hops < max_defaults_depth; ++hops) {
      if (!step(cost_of_lookup(*rules))) return nullptr;
      const json::value* reference = rules->if_contains("$ref");
      const json::string* where = reference != nullptr ? reference->if_string() : nullptr;
      if (where == nullptr) return rules;
      rules = target_of(*where);
    }
    return nullptr;
  }

  // Cached: the lookup may be slow in a full bucket, and is needed for every element of a list.
  const json::object* target_of(const json::string& reference) {
    const auto known = targets_.find(&reference);
    if (known != targets_.end()) return known->second;
    const auto names = static_cast<std::size_t>(std::count(reference.begin(), reference.end(), '/'));
    const json::object* target = nullptr;
    if (reference.starts_with('#') &&
        step(1 + reference.size() / 16 + names * longest_lookup(largest_object_) / comparisons_per_step)) {
      boost::system::error_code failure;
      const json::value* found = root_.find_pointer(json::string_view{reference}.substr(1), failure);
      target = found != nullptr ? found->if_object() : nullptr;
    }
    targets_.emplace(&reference, target);
    return target;
  }

  const json::value& root_;
  std::size_t left_;
  std::size_t largest_object_;  // of the schema
  std::unordered_map<const json::string*, const json::object*> targets_;
};

}  // namespace

void fill_defaults(boost::json::value& value, const boost::json::value& schema) {
  filler{schema, fewest_defaults_steps + size_of(value)}.fill(value, schema, 0);
}

}  // namespace hawser::detail

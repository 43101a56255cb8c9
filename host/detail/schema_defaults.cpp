// SPDX-License-Identifier: MIT
#include "schema_defaults.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace hawser::detail {

namespace {

namespace json = boost::json;

// Schemas come from servers: one that refers to itself, or a default of a megabyte for each of a million elements, must
// end. Every look at a property costs a step, a reference some by its length, and a default as many as it is large;
// there are as many as the value is large, and some more. What is left then stays unfilled.
constexpr int max_defaults_depth = 64;
constexpr std::size_t fewest_defaults_steps = std::size_t{512} << 10;

std::size_t size_of(const json::value& value) {
  std::size_t size = 16;
  if (const json::string* text = value.if_string()) return size + text->size();
  if (const json::array* elements = value.if_array())
    for (const json::value& element : *elements) size += size_of(element);
  if (const json::object* members = value.if_object())
    for (const auto& [name, member] : *members) size += name.size() + size_of(member);
  return size;
}

class filler {
 public:
  filler(const json::value& root, std::size_t steps) : root_(root), left_(steps) {}

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

  void fill_members(json::object& members, const json::object& properties, int depth) {
    for (const auto& [name, schema] : properties) {
      if (!step()) return;
      json::value* member = members.if_contains(name);
      if (member == nullptr) {
        const json::object* rules = resolved(schema, depth);
        const json::value* standard = rules != nullptr ? rules->if_contains("default") : nullptr;
        if (standard != nullptr && step(size_of(*standard))) members.emplace(name, *standard);
      } else {
        fill(*member, schema, depth + 1);
      }
    }
  }

  // `#` and `#/…` only; what is anywhere else is not ours to fetch.
  const json::object* resolved(const json::value& schema, int depth) {
    const json::object* rules = schema.if_object();
    for (int hops = depth; rules != nullptr && hops < max_defaults_depth; ++hops) {
      const json::value* reference = rules->if_contains("$ref");
      const json::string* where = reference != nullptr ? reference->if_string() : nullptr;
      if (where == nullptr) return rules;
      if (!where->starts_with('#') || !step(1 + where->size() / 16)) return nullptr;
      boost::system::error_code failure;
      const json::value* target = root_.find_pointer(json::string_view{*where}.substr(1), failure);
      rules = target != nullptr ? target->if_object() : nullptr;
    }
    return nullptr;
  }

  const json::value& root_;
  std::size_t left_;
};

}  // namespace

void fill_defaults(boost::json::value& value, const boost::json::value& schema) {
  filler{schema, fewest_defaults_steps + size_of(value)}.fill(value, schema, 0);
}

}  // namespace hawser::detail

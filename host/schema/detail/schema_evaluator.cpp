// SPDX-License-Identifier: MIT
#include "schema_evaluator.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cmath>
#include <functional>
#include <utility>

#include "../../../transports/json/json_tree.hpp"
#include "../../detail/json_pointer.hpp"
#include "../../result/detail/truncate.hpp"

namespace hawser::detail {

namespace {

namespace json = boost::json;
constexpr std::size_t none = compiled_schema::none;

// Nesting of applied schemas; each level takes two or three calls of some hundred bytes of stack.
constexpr std::size_t max_check_depth = 1'000;
constexpr std::size_t longest_name_shown = 100;
constexpr std::size_t comparisons_per_unit = 4;

std::string_view view_of(const json::string& text) { return {text.data(), text.size()}; }
std::string_view view_of(json::string_view text) { return {text.data(), text.size()}; }

// Wide enough for all integers and doubles. In JSON Schema 1 and 1.0 are equal.
long double number_in(const json::value& v) {
  if (v.is_int64()) return static_cast<long double>(v.get_int64());
  if (v.is_uint64()) return static_cast<long double>(v.get_uint64());
  return static_cast<long double>(v.get_double());
}

bool is_whole(const json::value& v) {
  return !v.is_double() || (std::isfinite(v.get_double()) && std::trunc(v.get_double()) == v.get_double());
}

bool is_multiple(const json::value& v, const json::value& of) {
  const long double a = number_in(v);
  const long double b = number_in(of);
  if (is_whole(v) && is_whole(of)) return std::fmod(a, b) == 0;
  // Fractions are rarely exact: a remainder smaller than the last digit of the number counts as zero.
  const double rounded = static_cast<double>(a);
  return std::fabs(std::remainder(rounded, static_cast<double>(b))) <=
         std::fabs(std::nextafter(rounded, 0.0) - rounded);
}

std::uint8_t types_of(const json::value& v) {
  switch (v.kind()) {
    case json::kind::null: return compiled_schema::null_type;
    case json::kind::bool_: return compiled_schema::boolean_type;
    case json::kind::int64:
    case json::kind::uint64: return compiled_schema::integer_type | compiled_schema::number_type;
    case json::kind::double_:
      return is_whole(v) ? compiled_schema::integer_type | compiled_schema::number_type : compiled_schema::number_type;
    case json::kind::string: return compiled_schema::string_type;
    case json::kind::array: return compiled_schema::array_type;
    case json::kind::object: break;
  }
  return compiled_schema::object_type;
}

std::string words_of(std::uint8_t types) {
  constexpr std::string_view words[] = {"null", "boolean", "integer", "number", "string", "array", "object"};
  std::string all;
  for (std::size_t i = 0; i < std::size(words); ++i)
    if ((types >> i & 1U) != 0) all += (all.empty() ? "" : " or ") + std::string{words[i]};
  return all;
}

std::string shown_name(std::string_view name) { return '"' + std::string{utf8_prefix(name, longest_name_shown)} + '"'; }

}  // namespace

bool schema_evaluator::spend(std::size_t units) noexcept {
  if (given_up_ || units > budget_.left) {
    given_up_ = true;
    budget_.left = 0;
    return false;
  }
  budget_.left -= units;
  return true;
}

std::string schema_evaluator::pointer_to(const place& at) {
  std::vector<const place*> way;
  for (const place* one = &at; one->is != place::kind::root; one = one->outside) way.push_back(one);
  std::string pointer;
  for (auto one = way.rbegin(); one != way.rend(); ++one) {
    if ((*one)->is == place::kind::name) return pointer + ": the name " + shown_name((*one)->name);
    pointer = pointer_below(std::move(pointer), (*one)->is == place::kind::element ? std::to_string((*one)->index)
                                                                                   : std::string{(*one)->name});
  }
  return pointer.empty() ? "the value" : pointer;
}

bool schema_evaluator::wrong(const place& at, std::string_view what) {
  if (quiet_ == 0 && !given_up_ && violation_.empty()) violation_ = pointer_to(at) + ": " + std::string{what};
  return false;
}

schema_evaluator::verdict schema_evaluator::judge(const value& v) {
  const place root{.outside = nullptr, .name = {}, .index = 0, .is = place::kind::root};
  const bool good = check(0, v, root, nullptr);
  return given_up_ ? verdict::given_up : good ? verdict::satisfied : verdict::violated;
}

bool schema_evaluator::check(std::size_t which, const value& v, const place& at, evaluated* seen) {
  if (depth_ == max_check_depth) given_up_ = true;
  if (!spend(2)) return false;
  const node& n = nodes_[which];
  if (n.is != node::kind::keywords) return n.is == node::kind::everything || wrong(at, "nothing is allowed here");
  ++depth_;
  const bool good = keywords(n, v, at, seen);
  --depth_;
  return good;
}

bool schema_evaluator::keywords(const node& n, const value& v, const place& at, evaluated* seen) {
  if (n.types != 0 && !type(n, v, at)) return false;
  if ((n.choices != nullptr || n.constant != nullptr) && !choice(n, v, at)) return false;
  const bool looks_back =
      (n.unevaluated_properties != none && v.is_object()) || (n.unevaluated_items != none && v.is_array());
  if (looks_back) {
    // Annotations of the enclosing schema do not apply here.
    const std::size_t size = v.is_object() ? v.get_object().size() : v.get_array().size();
    if (!spend(1 + size / 64)) return false;
    evaluated own(size);
    if (!in_place(n, v, at, &own)) return false;
    const bool good = v.is_object() ? object(n, v.get_object(), at, &own) : array(n, v.get_array(), at, &own);
    if (!good || !unevaluated(n, v, at, own)) return false;
    if (seen != nullptr) seen->assign(size, true);  // everything left was evaluated just now
    return true;
  }
  if (!in_place(n, v, at, seen)) return false;
  switch (v.kind()) {
    case json::kind::object: return object(n, v.get_object(), at, seen);
    case json::kind::array: return array(n, v.get_array(), at, seen);
    case json::kind::string: return text(n, view_of(v.get_string()), at);
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_: return number(n, v, at);
    default: return true;
  }
}

// Applies a schema that may fail without making the instance invalid. A failed schema evaluates nothing.
bool schema_evaluator::quietly(std::size_t which, const value& v, const place& at, evaluated* seen) {
  ++quiet_;
  bool good = false;
  if (seen == nullptr) {
    good = check(which, v, at, nullptr);
  } else if (spend(1 + seen->size() / 16)) {
    evaluated own(seen->size());
    good = check(which, v, at, &own);
    for (std::size_t i = 0; good && i < own.size(); ++i)
      if (own[i]) (*seen)[i] = true;
  }
  --quiet_;
  return good;
}

bool schema_evaluator::type(const node& n, const value& v, const place& at) {
  if ((types_of(v) & n.types) != 0) return true;
  const std::uint8_t is = types_of(v);
  return wrong(at, quiet_ > 0 ? ""
                              : "expected " + words_of(n.types) + ", found " +
                                    words_of(is & compiled_schema::integer_type ? compiled_schema::integer_type : is));
}

bool schema_evaluator::choice(const node& n, const value& v, const place& at) {
  if (n.constant != nullptr && !equal(*n.constant, v)) return wrong(at, "it is not the value of \"const\"");
  if (n.choices == nullptr) return true;
  if (const json::string* text = v.if_string()) {
    constexpr std::size_t comparisons = 16;
    if (!spend(comparisons / 8 * units_of(view_of(*text)))) return false;
    if (std::binary_search(n.choice_texts.begin(), n.choice_texts.end(), view_of(*text))) return true;
  } else {
    for (const value& one : *n.choices) {
      if (one.is_string() ? !spend(1) : equal(one, v)) return !given_up_;
    }
  }
  return wrong(at, "it is none of the values of \"enum\"");
}

bool schema_evaluator::number(const node& n, const value& v, const place& at) {
  // Numbers whose exponents are far apart are divided bit by bit.
  constexpr std::size_t division = 100;
  if (n.multiple_of != nullptr && !spend(division)) return false;
  const auto is = [&](const value* limit, auto good, const char* what) {
    if (limit == nullptr || good(number_in(v), number_in(*limit))) return true;
    return wrong(at, what);
  };
  return is(n.maximum, std::less_equal<>{}, "it is more than \"maximum\"") &&
         is(n.exclusive_maximum, std::less<>{}, "it is not less than \"exclusiveMaximum\"") &&
         is(n.minimum, std::greater_equal<>{}, "it is less than \"minimum\"") &&
         is(n.exclusive_minimum, std::greater<>{}, "it is not more than \"exclusiveMinimum\"") &&
         (n.multiple_of == nullptr || is_multiple(v, *n.multiple_of) ||
          wrong(at, "it is not a multiple of \"multipleOf\""));
}

bool schema_evaluator::text(const node& n, std::string_view v, const place& at) {
  if (!n.max_length && !n.min_length) return true;
  // A character has one to four bytes, so most texts need no counting.
  const bool surely_short = !n.max_length || v.size() <= *n.max_length;
  const bool surely_long = !n.min_length || v.size() / 4 >= *n.min_length;
  if (surely_short && surely_long) return true;
  if (!spend(units_of(v))) return false;
  const auto length = static_cast<std::uint64_t>(
      std::count_if(v.begin(), v.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
  if (n.max_length && length > *n.max_length)
    return wrong(at, "it has more than " + std::to_string(*n.max_length) + " characters");
  if (n.min_length && length < *n.min_length)
    return wrong(at, "it has less than " + std::to_string(*n.min_length) + " characters");
  return true;
}

// Applies the subschemas that apply to the same value.
bool schema_evaluator::in_place(const node& n, const value& v, const place& at, evaluated* seen) {
  if (n.reference != none && !check(n.reference, v, at, seen)) return false;
  for (const std::size_t one : n.all_of)
    if (!check(one, v, at, seen)) return false;
  if (!n.any_of.empty() && !any_of(n, v, at, seen)) return false;
  if (!n.one_of.empty() && !one_of(n, v, at, seen)) return false;
  if (n.negated != none && quietly(n.negated, v, at, nullptr))
    return wrong(at, "it satisfies the schema under \"not\"");
  if (given_up_ || (n.condition != none && !conditional(n, v, at, seen))) return false;
  if (const json::object* members = v.if_object()) {
    for (const auto& [name, schema] : n.dependent_schemas)
      if (has_one_of_many(*members, name) && !check(schema, v, at, seen)) return false;
  }
  return !given_up_;
}

bool schema_evaluator::any_of(const node& n, const value& v, const place& at, evaluated* seen) {
  bool good = false;
  for (const std::size_t one : n.any_of) {
    good = quietly(one, v, at, seen) || good;
    if (given_up_) return false;
    if (good && seen == nullptr) return true;  // otherwise the others may evaluate more members
  }
  return good || wrong(at, "it satisfies none of the schemas under \"anyOf\"");
}

bool schema_evaluator::one_of(const node& n, const value& v, const place& at, evaluated* seen) {
  std::size_t good = 0;
  for (const std::size_t one : n.one_of) {
    good += quietly(one, v, at, seen) ? 1 : 0;
    if (given_up_) return false;
    if (good > 1) return wrong(at, "it satisfies more than one of the schemas under \"oneOf\"");
  }
  return good == 1 || wrong(at, "it satisfies none of the schemas under \"oneOf\"");
}

bool schema_evaluator::conditional(const node& n, const value& v, const place& at, evaluated* seen) {
  if (n.consequence == none && n.alternative == none && seen == nullptr) return true;
  const bool holds = quietly(n.condition, v, at, seen);
  if (given_up_) return false;
  const std::size_t next = holds ? n.consequence : n.alternative;
  return next == none || check(next, v, at, seen);
}

bool schema_evaluator::has(const json::object& v, std::string_view name) {
  return spend(units_of(name)) && v.contains(json::string_view{name.data(), name.size()});
}

// For `required`, the first absent name ends the check, and the present names are bounded by the object's size. Here
// all names may be absent, each costing a lookup in the fullest bucket.
bool schema_evaluator::has_one_of_many(const json::object& v, std::string_view name) {
  return spend(longest_lookup(v.size()) / comparisons_per_unit) && has(v, name);
}

bool schema_evaluator::member_names(const node& n, const json::object& v, const place& at) {
  if (n.max_properties && v.size() > *n.max_properties)
    return wrong(at, "it has more than " + std::to_string(*n.max_properties) + " members");
  if (n.min_properties && v.size() < *n.min_properties)
    return wrong(at, "it has less than " + std::to_string(*n.min_properties) + " members");
  for (const std::string_view name : n.required)
    if (!has(v, name)) return given_up_ ? false : wrong(at, "it has no member " + shown_name(name));
  for (const auto& [name, needed] : n.dependent_required)
    if (has_one_of_many(v, name) && !has_one_of_many(v, needed))
      return given_up_ ? false : wrong(at, "it has a member " + shown_name(name) + " and no " + shown_name(needed));
  return !given_up_;
}

bool schema_evaluator::object(const node& n, const json::object& v, const place& at, evaluated* seen) {
  if (!member_names(n, v, at)) return false;
  if (n.properties.empty() && n.additional_properties == none && n.property_names == none) return true;
  std::size_t index = 0;
  for (const auto& [key, member] : v) {
    const std::string_view name = view_of(key);
    if (!spend(1 + units_of(name))) return false;
    if (n.property_names != none) {
      const place its_name{.outside = &at, .name = name, .index = 0, .is = place::kind::name};
      const value as_text(key);
      if (!check(n.property_names, as_text, its_name, nullptr)) return false;
    }
    const auto own = n.properties.find(name);
    const std::size_t schema = own != n.properties.end() ? own->second : n.additional_properties;
    if (schema != none) {
      const place inside{.outside = &at, .name = name, .index = 0, .is = place::kind::member};
      if (!check(schema, member, inside, nullptr)) return false;
      if (seen != nullptr) (*seen)[index] = true;
    }
    ++index;
  }
  return true;
}

bool schema_evaluator::array(const node& n, const json::array& v, const place& at, evaluated* seen) {
  if (n.max_items && v.size() > *n.max_items)
    return wrong(at, "it has more than " + std::to_string(*n.max_items) + " elements");
  if (n.min_items && v.size() < *n.min_items)
    return wrong(at, "it has less than " + std::to_string(*n.min_items) + " elements");
  if (n.unique_items && !unique(v)) return wrong(at, "two of its elements are the same");
  const std::size_t count = n.items != none ? v.size() : std::min(v.size(), n.prefix_items.size());
  for (std::size_t i = 0; i < count; ++i) {
    const place inside{.outside = &at, .name = {}, .index = i, .is = place::kind::element};
    if (!check(i < n.prefix_items.size() ? n.prefix_items[i] : n.items, v[i], inside, nullptr)) return false;
    if (seen != nullptr) (*seen)[i] = true;
  }
  return n.contains == none || contained(n, v, at, seen);
}

bool schema_evaluator::contained(const node& n, const json::array& v, const place& at, evaluated* seen) {
  const std::uint64_t least = n.min_contains.value_or(1);
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const place inside{.outside = &at, .name = {}, .index = i, .is = place::kind::element};
    const bool good = quietly(n.contains, v[i], inside, nullptr);
    if (given_up_) return false;
    if (!good) continue;
    ++found;
    if (seen != nullptr) (*seen)[i] = true;
    if (n.max_contains && found > *n.max_contains) break;
    if (!n.max_contains && seen == nullptr && found >= least) break;
  }
  if (n.max_contains && found > *n.max_contains)
    return wrong(at, "more than " + std::to_string(*n.max_contains) + " elements satisfy \"contains\"");
  return found >= least || wrong(at, "less than " + std::to_string(least) + " elements satisfy \"contains\"");
}

bool schema_evaluator::unevaluated(const node& n, const value& v, const place& at, evaluated& seen) {
  std::size_t index = 0;
  if (const json::object* members = v.if_object()) {
    for (const auto& [key, member] : *members) {
      const place inside{.outside = &at, .name = view_of(key), .index = 0, .is = place::kind::member};
      if (!seen[index++] && !check(n.unevaluated_properties, member, inside, nullptr)) return false;
    }
    return true;
  }
  for (const value& element : v.get_array()) {
    const place inside{.outside = &at, .name = {}, .index = index, .is = place::kind::element};
    if (!seen[index++] && !check(n.unevaluated_items, element, inside, nullptr)) return false;
  }
  return true;
}

// Compares hashes first to avoid quadratic time; equal hashes of different values are paid from the budget.
bool schema_evaluator::unique(const json::array& v) {
  std::vector<std::pair<std::size_t, std::size_t>> hashes;
  hashes.reserve(v.size());
  for (std::size_t i = 0; i < v.size(); ++i) {
    hashes.emplace_back(hash(v[i]), i);
    if (!spend(4)) return false;
  }
  std::sort(hashes.begin(), hashes.end());
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    for (std::size_t j = i + 1; j < hashes.size() && hashes[j].first == hashes[i].first; ++j)
      if (equal(v[hashes[i].second], v[hashes[j].second]) || given_up_) return false;
  }
  return true;
}

bool schema_evaluator::equal(const value& a, const value& b) {
  if (!spend(1)) return false;
  if (a.is_number() && b.is_number()) return number_in(a) == number_in(b);
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case json::kind::null: return true;
    case json::kind::bool_: return a.get_bool() == b.get_bool();
    case json::kind::string: {
      const std::string_view text = view_of(a.get_string());
      return text.size() == b.get_string().size() && spend(units_of(text)) && text == view_of(b.get_string());
    }
    case json::kind::array: {
      const json::array& left = a.get_array();
      const json::array& right = b.get_array();
      if (left.size() != right.size()) return false;
      for (std::size_t i = 0; i < left.size(); ++i)
        if (!equal(left[i], right[i])) return false;
      return true;
    }
    default: break;
  }
  const json::object& left = a.get_object();
  const json::object& right = b.get_object();
  if (left.size() != right.size()) return false;
  for (const auto& [name, member] : left) {
    const value* other = spend(units_of(view_of(name))) ? right.if_contains(name) : nullptr;
    if (other == nullptr || !equal(member, *other)) return false;
  }
  return true;
}

std::size_t schema_evaluator::hash(const value& v) {
  const auto mixed = [](std::size_t one, std::size_t other) {
    return (one ^ other) * std::size_t{0x9E3779B97F4A7C15U} ^ one >> 29U;
  };
  if (!spend(1)) return 0;
  switch (v.kind()) {
    case json::kind::null: return 1;
    case json::kind::bool_: return v.get_bool() ? 2 : 3;
    case json::kind::string: {
      const std::string_view text = view_of(v.get_string());
      return spend(units_of(text)) ? std::hash<std::string_view>{}(text) : 0;
    }
    case json::kind::array: {
      std::size_t all = 4;
      for (const value& element : v.get_array()) all = mixed(all, hash(element));
      return all;
    }
    case json::kind::object: {
      std::size_t all = 5;  // independent of the order of members
      for (const auto& [name, member] : v.get_object()) {
        if (!spend(units_of(view_of(name)))) return 0;
        all += mixed(std::hash<std::string_view>{}(view_of(name)), hash(member));
      }
      return all;
    }
    default: return std::hash<double>{}(static_cast<double>(number_in(v)) + 0.0);
  }
}

}  // namespace hawser::detail

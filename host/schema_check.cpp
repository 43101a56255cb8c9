// SPDX-License-Identifier: MIT
// The only file that knows jsoncons, which takes seconds to compile.
#include "schema_check.hpp"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <exception>
#include <jsoncons/json.hpp>
#include <jsoncons_ext/jsonschema/jsonschema.hpp>

#include "../transports/json_text.hpp"
#include "../transports/json_validator.hpp"
#include "content.hpp"
#include "detail/capped.hpp"
#include "detail/schema_plan.hpp"

namespace hawser {

namespace {

constexpr json_limits schema_limits{.max_depth = 64, .max_values = 10'000};
constexpr json_limits instance_limits{.max_depth = 64, .max_values = 200'000};
// Each step is a few calls one inside the other, of some hundred bytes.
constexpr std::size_t max_check_depth = 1'000;
// An upper bound, and most checks stay far below it; one step takes about a tenth of a microsecond.
constexpr std::size_t max_check_steps = 2'000'000;
constexpr std::size_t longest_message = 500;

using document = jsoncons::json;
namespace rules = jsoncons::jsonschema;

error schema_error(errc code, std::string what) { return {.code = code, .what = "schema: " + std::move(what)}; }

void measure(std::string_view json, std::size_t depth, detail::instance_shape& shape) {
  ++shape.values;
  shape.depth = std::max(shape.depth, depth);
  std::size_t elements = 0;
  const auto inner = [&](std::string_view value) {
    ++elements;
    measure(value, depth + 1, shape);
    return true;
  };
  if (json.starts_with('[')) {
    for_each_element(json, inner);
    shape.longest_array = std::max(shape.longest_array, elements);
  }
  if (json.starts_with('{'))
    for_each_member(json, [&](std::string_view, std::string_view value) { return inner(value); });
}

std::string_view trimmed(std::string_view json) {
  json.remove_prefix(json.find_first_not_of(" \t\r\n"));
  return json.substr(0, json.find_last_not_of(" \t\r\n") + 1);
}

std::string told(const rules::validation_message& message) {
  const std::string where = message.instance_location().string();
  const std::string text = (where.empty() ? "the value" : where) + ": " + message.message();
  return std::string{detail::whole_characters(text, longest_message)};
}

// Throws what jsoncons throws: it does so for every schema it does not like.
std::optional<std::string> first_violation(const boost::json::value& schema, bool draft_7, std::string_view instance) {
  rules::evaluation_options options;
  options.default_version(draft_7 ? rules::schema_version::draft7() : rules::schema_version::draft202012());
  options.compatibility_mode(true);  // `definitions` and `dependencies` where the newer words are meant
  const auto nowhere = [](const jsoncons::uri& /*place*/) -> document { return document::null(); };
  const auto compiled = rules::make_json_schema(document::parse(boost::json::serialize(schema)), nowhere, options);
  std::optional<std::string> first;
  compiled.validate(document::parse(instance), [&](const rules::validation_message& message) -> rules::walk_result {
    if (!first) first = told(message);
    return rules::walk_result::abort;
  });
  return first;
}

}  // namespace

result<std::optional<std::string>> schema_violation(std::string_view schema, std::string_view instance) {
  if (auto valid = validate_json(schema, schema_limits); !valid)
    return schema_error(valid.error().code, valid.error().what);
  if (auto valid = validate_json(instance, instance_limits); !valid)
    return error{.code = valid.error().code, .what = "value to be checked: " + valid.error().what};
  const boost::json::value tree = detail::tree_of(schema);
  const auto plan = detail::schema_plan::read(tree);
  if (!plan) return plan.error();
  detail::instance_shape shape;
  measure(trimmed(instance), 0, shape);
  if (plan->steps_deep(shape) > max_check_depth || plan->steps(shape) > max_check_steps)
    return schema_error(errc::too_large, "checking the value would be too much work");
  try {
    return first_violation(plan->rebuilt(), plan->draft_7(), instance);
  } catch (const std::exception& e) {
    const std::string what = e.what();
    return schema_error(errc::protocol, std::string{detail::whole_characters(what, longest_message)});
  }
}

}  // namespace hawser

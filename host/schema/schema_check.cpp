// SPDX-License-Identifier: MIT
#include "schema_check.hpp"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "../../transports/json/json_tree.hpp"
#include "../result/detail/truncate.hpp"
#include "detail/compiled_schema.hpp"
#include "detail/schema_evaluator.hpp"

namespace hawser {

namespace {

constexpr json_limits schema_limits{.max_depth = 64, .max_values = 10'000};
constexpr json_limits instance_limits{.max_depth = 64, .max_values = 200'000};
// In units of about ten nanoseconds: half of the time that a check may take. The other half is for parsing both texts.
constexpr std::size_t units_for_any = 500'000;
constexpr std::size_t units_per_mebibyte = 500'000;
constexpr std::size_t longest_message = 500;

error schema_error(errc code, std::string what) { return {.code = code, .what = "schema: " + std::move(what)}; }

}  // namespace

detail::schema_budget detail::budget_for(std::size_t bytes) noexcept {
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  return {.left =
              units_for_any + bytes / mebibyte * units_per_mebibyte + bytes % mebibyte * units_per_mebibyte / mebibyte};
}

result<std::optional<std::string>> schema_violation(std::string_view schema, std::string_view instance) {
  detail::schema_budget budget = detail::budget_for(schema.size() + instance.size());
  return detail::schema_violation(schema, instance, budget);
}

result<std::optional<std::string>> detail::schema_violation(std::string_view schema, std::string_view instance,
                                                            schema_budget& budget) {
  // Both trees are destroyed together after the check, so a monotonic resource suffices.
  boost::json::monotonic_resource memory;
  const auto rules = json_tree(schema, schema_limits, &memory);
  if (!rules) return schema_error(rules.error().code, rules.error().what);
  const auto value = json_tree(instance, instance_limits, &memory);
  if (!value) return error{.code = value.error().code, .what = "value to be checked: " + value.error().what};
  const auto plan = compiled_schema::read(*rules);
  if (!plan) return plan.error();
  schema_evaluator evaluator{*plan, budget};
  switch (evaluator.judge(*value)) {
    case schema_evaluator::verdict::satisfied: return std::optional<std::string>{};
    case schema_evaluator::verdict::violated:
      return std::optional{std::string{utf8_prefix(evaluator.violation(), longest_message)}};
    case schema_evaluator::verdict::given_up: break;
  }
  return schema_error(errc::too_large, "checking the value would be too much work");
}

}  // namespace hawser

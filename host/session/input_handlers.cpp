// SPDX-License-Identifier: MIT
#include "input_handlers.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "../schema/detail/schema_evaluator.hpp"
#include "../schema/schema_check.hpp"

namespace hawser {

boost::json::object form_request::prefilled() const {
  boost::json::object content;
  const boost::json::value* found = schema.if_contains("properties");
  const boost::json::object* properties = found != nullptr ? found->if_object() : nullptr;
  if (properties == nullptr) return content;
  // Reserve the capacity of `properties`, whose names were checked for hash collisions (json_tree.hpp).
  content.reserve(properties->size());
  // One budget for all members: each default is a separate check, and a server may send thousands.
  detail::schema_budget budget = detail::budget_for(0);
  for (const auto& member : *properties) {
    const boost::json::object* about = member.value().if_object();
    const boost::json::value* usual = about != nullptr ? about->if_contains("default") : nullptr;
    if (usual == nullptr) continue;
    const auto violation =
        detail::schema_violation(boost::json::serialize(*about), boost::json::serialize(*usual), budget);
    if (violation && !*violation) content.emplace(member.key(), *usual);
  }
  return content;
}

}  // namespace hawser

// SPDX-License-Identifier: MIT
// Whether a JSON value is what a JSON Schema says: 2020-12, or draft 7 where `$schema` says so. Both may come from
// servers that mean harm: what a check costs is counted, and one that costs too much is given up.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "../runtime/error.hpp"

namespace hawser {

/// What is wrong with the instance, with its place; nothing if it satisfies the schema. An error if that cannot be
/// told: one of them is not JSON (errc::parse), the check is too much work for their size (errc::too_large), or the
/// schema is no schema, refers to what is not inside it, or uses what is not supported here (errc::protocol). An error
/// is never a pass.
///
/// Not enforced: `format`, which is no more than a note by default, and `pattern` and `patternProperties`, because the
/// regular expressions of a stranger can take for ever. What depends on them, such as an `additionalProperties` beside
/// `patternProperties` or a `not` around a `pattern`, is left out, too: nothing is called wrong that may be right. Not
/// supported: references into other documents, a nested `$id`, `$dynamicRef`.
///
/// Takes at most about 10 ms and 10 ms for each MiB of both, whatever they are.
result<std::optional<std::string>> schema_violation(std::string_view schema, std::string_view instance);

namespace detail {
struct schema_budget;
/// What a check of so many bytes may cost beside reading them.
schema_budget budget_for(std::size_t bytes) noexcept;
/// With what other checks have left.
result<std::optional<std::string>> schema_violation(std::string_view schema, std::string_view instance,
                                                    schema_budget& budget);
}  // namespace detail

}  // namespace hawser

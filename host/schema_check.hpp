// SPDX-License-Identifier: MIT
// Whether a JSON value is what a JSON Schema says: 2020-12, or draft 7 where `$schema` says so. Both may come from
// servers that mean harm, so that what a check may cost is known before it begins.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "../runtime/error.hpp"

namespace hawser {

/// What is wrong with the instance, with its place; nothing if it satisfies the schema. An error if that cannot be
/// told: one of them is not JSON (errc::parse), the check would be too much work (errc::too_large), or the schema is no
/// schema, refers to what is not inside it, or uses what is not supported here (errc::protocol). An error is never a
/// pass.
///
/// Not enforced: `format`, which is no more than a note by default, and `pattern` and `patternProperties`, because the
/// regular expressions of a stranger can take for ever. What depends on them, such as an `additionalProperties` beside
/// `patternProperties` or a `not` around a `pattern`, is left out, too: nothing is called wrong that may be right. Not
/// supported: references into other documents, a nested `$id`, `$dynamicRef`.
result<std::optional<std::string>> schema_violation(std::string_view schema, std::string_view instance);

}  // namespace hawser

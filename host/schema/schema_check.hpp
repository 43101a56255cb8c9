// SPDX-License-Identifier: MIT
// Validates a JSON value against a JSON Schema: 2020-12, or draft 7 if `$schema` says so. Both may come from hostile
// servers: the cost of a check is counted, and a check that costs too much is aborted.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "../../runtime/error.hpp"

namespace hawser {

/// Returns the violation with its location; nullopt if the instance is valid. An error means that the check was not
/// possible: one of the texts is not JSON (errc::parse), the check is too expensive for their size (errc::too_large),
/// or the schema is invalid, refers to another document, or uses an unsupported feature (errc::protocol). An error
/// never means valid.
///
/// Not enforced: `format`, which is only an annotation by default, and `pattern` and `patternProperties`, because a
/// hostile regular expression can run forever. Keywords that depend on them, such as `additionalProperties` beside
/// `patternProperties` or `not` around `pattern`, are ignored, too: no valid instance is reported as invalid. Not
/// supported: references to other documents, a nested `$id`, `$dynamicRef`.
///
/// Takes at most about 10 ms plus 10 ms per MiB of both texts, for any input.
result<std::optional<std::string>> schema_violation(std::string_view schema, std::string_view instance);

namespace detail {
struct schema_budget;
/// The cost limit of a check of so many bytes, not counting parsing.
schema_budget budget_for(std::size_t bytes) noexcept;
/// With a budget shared by several checks.
result<std::optional<std::string>> schema_violation(std::string_view schema, std::string_view instance,
                                                    schema_budget& budget);
}  // namespace detail

}  // namespace hawser

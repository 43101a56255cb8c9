// SPDX-License-Identifier: MIT
// Fills in the `default`s of a JSON Schema where a value has no member. Does not validate; see schema_check.
#pragma once

#include <boost/json/fwd.hpp>

namespace hawser::detail {

/// Follows `properties`, `items` and references within the schema. An invalid schema changes nothing.
void fill_defaults(boost::json::value& value, const boost::json::value& schema);

}  // namespace hawser::detail

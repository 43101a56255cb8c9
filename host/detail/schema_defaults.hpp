// SPDX-License-Identifier: MIT
// The `default`s of a JSON Schema, put where a value has nothing. Not a validation: schema_check does that.
#pragma once

#include <boost/json/fwd.hpp>

namespace hawser::detail {

/// Follows `properties`, `items` and references within the schema. A schema that is none changes nothing.
void fill_defaults(boost::json::value& value, const boost::json::value& schema);

}  // namespace hawser::detail

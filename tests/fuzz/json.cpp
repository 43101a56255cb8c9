// SPDX-License-Identifier: MIT
// validate_json() accepts what Boost.JSON accepts, the walker finds what is in its tree, and any bytes can be quoted.
#include "../../transports/json/json_text.hpp"
#include "../support/json_reference.hpp"
#include "target.hpp"

void hawser::testing::fuzz_one(std::string_view input) {
  must_be_empty(json_difference(input));
  must_be_empty(json_difference(json_string(input)));
}

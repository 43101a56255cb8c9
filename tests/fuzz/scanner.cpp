// SPDX-License-Identifier: MIT
// The scanner makes of a message what JSON-RPC makes of Boost.JSON's tree of it.
#include "../support/json_reference.hpp"
#include "target.hpp"

void hawser::testing::fuzz_one(std::string_view input) { must_be_empty(scan_difference(input)); }

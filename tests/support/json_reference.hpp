// SPDX-License-Identifier: MIT
// Compares our JSON code with Boost.JSON: each function reads the same bytes with both and describes the first
// difference; empty = they agree. Shared by the tests and the fuzz targets, so it must not use ut.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

namespace hawser::testing {

struct reference_parse {
  bool accepted = false;
  /// The only accepted difference, error::exponent_overflow: Boost.JSON 1.83 rejects a valid number of 2^31 digits.
  /// Large exponents alone do not cause it; they give infinities.
  bool not_comparable = false;
  boost::json::value tree;
};

/// Strict options and at most `max_depth` nested containers: the same as validate_json() without options.
reference_parse boost_parse(std::string_view text, std::size_t max_depth = 128);

/// validate_json() must accept what Boost.JSON accepts, and json_text.hpp must find what is in Boost's tree.
std::string json_difference(std::string_view text);

/// Every member, element, text and number that json_text.hpp finds must be in the tree, and vice versa. Precondition:
/// `json` is valid, without surrounding whitespace.
std::string walk_difference(std::string_view json, const boost::json::value& tree);

/// scanner::scan() must give what JSON-RPC gives for Boost's tree: kind, id, method, positions of the parts.
std::string scan_difference(std::string_view bytes);

}  // namespace hawser::testing

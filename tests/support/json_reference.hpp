// SPDX-License-Identifier: MIT
// Boost.JSON as the second opinion about our own JSON code: each function reads the same bytes with both and says where
// they differ, in a sentence; empty = they agree. Shared by the tests and the fuzz targets, so nothing of ut is here.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

namespace hawser::testing {

struct second_opinion {
  bool accepted = false;
  /// The one thing on which both may differ, error::exponent_overflow: Boost.JSON 1.83 gives up on a number of 2^31
  /// digits, which is valid. Exponents alone do not bring it there, they make infinities.
  bool no_opinion = false;
  boost::json::value tree;
};

/// Strict options, at most `max_depth` containers in each other: what validate_json() does without options.
second_opinion boost_parse(std::string_view text, std::size_t max_depth = 128);

/// validate_json() accepts what Boost.JSON accepts, and json_text.hpp finds in it what stands in Boost's tree.
std::string json_difference(std::string_view text);

/// Every member, element, text and number that json_text.hpp finds stands in the tree, and the other way round.
/// Precondition: `json` is valid, without space around it.
std::string walk_difference(std::string_view json, const boost::json::value& tree);

/// scanner::scan() makes of the bytes what JSON-RPC makes of Boost's tree: kind, id, method, where the parts lie.
std::string scan_difference(std::string_view bytes);

}  // namespace hawser::testing

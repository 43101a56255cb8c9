// SPDX-License-Identifier: MIT
// The only place where untrusted text becomes a Boost.JSON tree. Boost.JSON looks members up by a hash that anyone can
// compute (FNV-1a, salted with the address of the table), so names can be chosen that all fall into one bucket: parsing
// such an object takes quadratic time, and a lookup in it, or in a copy, takes linear time. An object whose names
// collide far more often than by chance is therefore refused before a tree is built.
#pragma once

#include <boost/json/fwd.hpp>
#include <boost/json/storage_ptr.hpp>
#include <cstddef>
#include <span>
#include <string_view>

#include "../../runtime/error.hpp"
#include "json_validator.hpp"

namespace hawser {

/// Checks that the text is valid JSON within these limits (validate_json()) and that no object has colliding names,
/// which is errc::too_large. A text that has passed may become a tree, which may be copied and searched, as a whole or
/// in parts. Returns how many values it has.
result<std::size_t> check_json_tree(std::string_view text, json_limits limits = {});

/// Parses a text into a tree, after check_json_tree(). A number that is not a 64-bit integer becomes a double, infinite
/// if it is out of range.
result<boost::json::value> json_tree(std::string_view text, json_limits limits = tree_limits,
                                     boost::json::storage_ptr memory = {});

/// Precondition: check_json_tree() has accepted the text, or a text that contains it as a value.
boost::json::value checked_json_tree(std::string_view text, boost::json::storage_ptr memory = {});

/// Approximate maximum number of names compared by a lookup in an object that has passed: the cost of a lookup by
/// untrusted names.
std::size_t longest_lookup(std::size_t members) noexcept;

/// Whether an object of this capacity would have too many of these names in one bucket. To be called before untrusted
/// names are inserted one by one. Changes their order.
bool names_collide(std::span<std::string_view> names, std::size_t capacity);

}  // namespace hawser

// SPDX-License-Identifier: MIT
// Where foreign text becomes a tree of Boost.JSON, and nowhere else. Boost.JSON finds members by a hash that anybody
// can compute (FNV-1a, salted with the address of the table), so that names can be chosen that all fall into one
// bucket: reading such an object takes the square of its size, and looking for one name in it, or in a copy, takes all
// of it. An object whose names collide far more often than by chance is therefore refused before there is a tree.
#pragma once

#include <boost/json/fwd.hpp>
#include <boost/json/storage_ptr.hpp>
#include <cstddef>
#include <span>
#include <string_view>

#include "../runtime/error.hpp"
#include "json_validator.hpp"

namespace hawser {

/// Whether it is valid JSON within these limits (validate_json()) and no object of it has names that collide, which is
/// errc::too_large. What has passed may become a tree, and that may be copied and searched, as a whole or in parts.
result<void> check_json_tree(std::string_view text, json_limits limits = {});

/// The tree of a text, after check_json_tree(). A number that is no 64-bit integer is a double, an infinite one where
/// it must be.
result<boost::json::value> json_tree(std::string_view text, json_limits limits = {},
                                     boost::json::storage_ptr memory = {});

/// Precondition: check_json_tree() has accepted the text, or one that it is a value of.
boost::json::value checked_json_tree(std::string_view text, boost::json::storage_ptr memory = {});

/// About how many names are compared at most where one is looked up in an object that has passed: what a budget counts
/// for names that somebody else has chosen.
std::size_t longest_lookup(std::size_t members) noexcept;

/// Whether an object of this capacity would have too many of these names in one bucket: to be asked before foreign
/// names are put into an object one by one. Changes their order.
bool names_collide(std::span<std::string_view> names, std::size_t capacity);

}  // namespace hawser

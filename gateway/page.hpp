// SPDX-License-Identifier: MIT
// Lists in pages: the cursor is a place in the list, wrapped so that nobody is tempted to make one up.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service.hpp"

namespace hawser {

/// Under which name a list stands in its result.
std::string_view member_name(list_kind what) noexcept;

/// The result of a list method, in the shape of the revision: the items from `cursor` on, at most `page_size`. A list
/// that has become shorter meanwhile ends early; a cursor that never was one is an error, as invalid parameters.
result<std::string> list_page(list_kind what, const std::vector<std::string>& items, std::string_view params,
                              std::size_t page_size, std::string_view revision);

}  // namespace hawser

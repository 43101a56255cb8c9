// SPDX-License-Identifier: MIT
// Pagination of lists. The cursor is an offset into the list, encoded so that clients treat it as opaque.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service.hpp"

namespace hawser {

/// The name of the list's member in its result.
std::string_view member_name(list_kind what) noexcept;

/// The result of a list method, adapted to the revision: at most `page_size` items from `cursor` on. If the list has
/// become shorter since, the page is short or empty. A cursor that was not issued here is an invalid-params error.
result<std::string> list_page(list_kind what, const std::vector<std::string>& items, std::string_view params,
                              std::size_t page_size, std::string_view revision);

}  // namespace hawser

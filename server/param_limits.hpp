// SPDX-License-Identifier: MIT
// How many members the parameters of a request may have. They are looked through several times, for what the method,
// the era and the HTTP header fields need, and no method has more than a dozen.
#pragma once

#include <cstddef>
#include <string_view>

#include "../transports/json/json_text.hpp"
#include "../transports/jsonrpc/protocol.hpp"

namespace hawser {

inline constexpr std::size_t max_params = 1000;
inline constexpr const char* too_many_params = "params, or its _meta, has more than 1000 members";

/// Precondition: valid JSON, or empty. Arguments of a tool are not counted.
inline bool params_within(std::string_view params) {
  return members_within(params, max_params) && members_within(find_member(params, protocol::meta::key), max_params);
}

}  // namespace hawser

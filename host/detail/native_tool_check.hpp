// SPDX-License-Identifier: MIT
// Checks the name, function and schemas of a native tool before it is listed.
#pragma once

#include "../../registry/exposed_name.hpp"
#include "../hub.hpp"

namespace hawser::detail {

/// errc::config says what is wrong; see hub::add_tool.
result<void> check_native_tool(const native_tool& added, const naming_options& names);

}  // namespace hawser::detail

// SPDX-License-Identifier: MIT
// Whether a function of the program can be listed as a tool, under the name and with the schemas that it was given.
#pragma once

#include "../../registry/names.hpp"
#include "../hub.hpp"

namespace hawser::detail {

/// errc::config, with what is wrong; see hub::add_tool.
result<void> check_native_tool(const native_tool& added, const naming& names);

}  // namespace hawser::detail

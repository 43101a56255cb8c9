// SPDX-License-Identifier: MIT
// What a caller passes as a method, or as the arguments of a tool or a prompt: checked before it becomes part of a
// request.
#pragma once

#include <string_view>

#include "../../runtime/error.hpp"

namespace hawser::detail {

/// One JSON object, or nothing. Anything else could add members to the request that carries it.
result<void> check_arguments(std::string_view arguments);

/// Printable ASCII without spaces. Of anything else nobody knows which method a server makes of it. errc::config.
result<void> check_method(std::string_view method);

}  // namespace hawser::detail

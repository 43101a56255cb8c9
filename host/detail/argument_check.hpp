// SPDX-License-Identifier: MIT
// Checks methods and arguments from callers before they become part of a request.
#pragma once

#include <string_view>

#include "../../runtime/error.hpp"

namespace hawser::detail {

/// One JSON object, or empty. Anything else could inject members into the request.
result<void> check_arguments(std::string_view arguments);

/// Printable ASCII without spaces; otherwise servers could disagree on which method is meant. errc::config.
result<void> check_method(std::string_view method);

}  // namespace hawser::detail

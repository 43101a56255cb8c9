// SPDX-License-Identifier: MIT
// Reads all of stdin before the loop runs; the only place that may block on it.
#pragma once

#include <string>

#include "../../runtime/error.hpp"

namespace hawser::cli {

result<std::string> read_standard_input();
/// The same for any descriptor; errc::too_large beyond 16 MiB.
result<std::string> read_all(int descriptor);

}  // namespace hawser::cli

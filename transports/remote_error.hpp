// SPDX-License-Identifier: MIT
// The error of the other side, from the `error` member of a JSON-RPC message.
#pragma once

#include <cstddef>
#include <string_view>

#include "../runtime/error.hpp"

namespace hawser {

/// errc::remote with its code, its data, and as much of its text as is allowed. `revision` is the negotiated one, or
/// empty: some codes have a meaning only since 2026-07-28. Precondition: valid JSON.
error remote_error(std::string_view json, std::string_view revision, std::size_t max_text = std::size_t{4} * 1024);

}  // namespace hawser

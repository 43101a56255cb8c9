// SPDX-License-Identifier: MIT
// Converts the `error` member of a JSON-RPC message into an error.
#pragma once

#include <cstddef>
#include <string_view>

#include "../../runtime/error.hpp"
#include "../../runtime/redaction.hpp"

namespace hawser {

/// errc::remote with the code, the data, and at most `max_text` bytes of the message. A message that has to be cut is
/// redacted first, because the beginning of a secret could not be recognised later. `revision` is the negotiated one,
/// or empty: some codes have a meaning only since 2026-07-28. Precondition: valid JSON.
error remote_error(std::string_view json, std::string_view revision, const redaction& hidden,
                   std::size_t max_text = std::size_t{4} * 1024);

}  // namespace hawser

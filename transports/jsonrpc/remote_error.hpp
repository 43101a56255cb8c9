// SPDX-License-Identifier: MIT
// Converts the `error` member of a JSON-RPC message into an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../runtime/error.hpp"
#include "../../runtime/redaction.hpp"

namespace hawser {

/// The id of an error response: that of the request, or none (null), where the request is known from the HTTP
/// exchange. JSON-RPC: it is null if the request could not be parsed.
enum class error_id : std::uint8_t { of_request, none };

/// errc::remote with the code, the data, and at most `max_text` bytes of the message. A message that has to be cut is
/// redacted first, because the beginning of a secret could not be recognised later. `revision` is the negotiated one,
/// or empty: some codes have a meaning only since 2026-07-28. Precondition: valid JSON.
error remote_error(std::string_view json, std::string_view revision, const redaction& hidden,
                   error_id id = error_id::of_request, std::size_t max_text = std::size_t{4} * 1024);

}  // namespace hawser

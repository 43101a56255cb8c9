// SPDX-License-Identifier: MIT
// The JSON that `--json` prints for a failure, the same for all commands.
#pragma once

#include <span>
#include <string>

#include "../../runtime/error.hpp"
#include "../terminal/output.hpp"

namespace hawser::cli {

/// {message, code, executed, server, phase, data, rpc_code, retry_after}; unknown members are left out. `data` and
/// `rpc_code` are those of the server's JSON-RPC error.
std::string error_json(const error& why);

/// Prints {"error": {...}} on a line of its own.
void print_error_document(output& to, const error& why);

/// Adds to a JSON object the member `error`, the first failure, and if there are several, `errors` with all of them.
/// Returns the object unchanged if there are none.
std::string with_failures(std::string object, std::span<const error> failures);

}  // namespace hawser::cli

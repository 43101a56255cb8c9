// SPDX-License-Identifier: MIT
// What `--json` prints of a failure, the same for every command.
#pragma once

#include <span>
#include <string>

#include "../runtime/error.hpp"
#include "output.hpp"

namespace hawser::cli {

/// {message, code, executed, server, phase, data, rpc_code, retry_after}; what is not known is left out. `data` is what
/// came with an error of the server, `rpc_code` its JSON-RPC code.
std::string error_json(const error& why);

/// {"error": {...}} on a line of its own.
void print_error_document(output& to, const error& why);

/// A JSON object with the member `error`, the first of the failures, and with `errors`, all of them, where there are
/// several. Without any, the object as it is.
std::string with_failures(std::string object, std::span<const error> failures);

}  // namespace hawser::cli

// SPDX-License-Identifier: MIT
// The display of a server's status, in tables and as JSON.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "../../host/status.hpp"
#include "../../registry/tool_row.hpp"
#include "../../runtime/redaction.hpp"
#include "../terminal/table.hpp"

namespace hawser::cli {

/// "disabled", "ready" …, with its colour.
cell state_cell(const server_status& of);
/// The number of tools; "-" if unknown.
cell tools_cell(const server_status& of);

/// name, state, reason, advice, phase, transport, target, origin, enabled, lazy, tools, refused, left_out, restarts,
/// revision, server, pid; empty members are left out.
boost::json::object to_json(const server_status& of);

/// The exposed name of a tool without secrets. The registry replaces characters in names, so that a secret may be
/// recognised only in the name that the server gave: then that one stands for it.
std::string shown_name(const tool_row& of, const redaction& secrets);

}  // namespace hawser::cli

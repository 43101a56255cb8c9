// SPDX-License-Identifier: MIT
// The display of a server's status, in tables and as JSON.
#pragma once

#include <boost/json/object.hpp>

#include "../../host/status.hpp"
#include "../terminal/table.hpp"

namespace hawser::cli {

/// "disabled", "ready" …, with its colour.
cell state_cell(const server_status& of);
/// The number of tools; "-" if unknown.
cell tools_cell(const server_status& of);

/// name, state, reason, advice, phase, transport, target, origin, enabled, lazy, tools, refused, left_out, restarts,
/// revision, server, pid; empty members are left out.
boost::json::object to_json(const server_status& of);

}  // namespace hawser::cli

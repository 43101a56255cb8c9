// SPDX-License-Identifier: MIT
// A server's state as commands show it, in a table and as JSON.
#pragma once

#include <boost/json/object.hpp>

#include "../host/status.hpp"
#include "table.hpp"

namespace hawser::cli {

/// "disabled", "ready" …, in its colour.
cell state_cell(const server_status& of);
/// How many there are; "-" if nobody knows.
cell tools_cell(const server_status& of);

/// name, state, reason, advice, phase, transport, target, origin, enabled, lazy, tools, refused, left_out, restarts,
/// revision, server, pid; what is empty is left out.
boost::json::object to_json(const server_status& of);

}  // namespace hawser::cli

// SPDX-License-Identifier: MIT
// The warden: one process per server. It is the parent of the server and the subreaper of its process tree, so no
// descendant can escape it.
#pragma once

#include "protocol.hpp"

namespace hawser {

/// Starts one server, supervises its process tree until no process is left, then exits. `child_signals` is the keeper's
/// signalfd, which reports to each process its own children.
[[noreturn]] void run_warden(const keeper_protocol::start_request& request,
                             const int (&fds)[keeper_protocol::request_descriptors], int child_signals);

}  // namespace hawser

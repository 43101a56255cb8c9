// SPDX-License-Identifier: MIT
// One process per server, its parent and the subreaper of its tree, which no descendant can leave unseen.
#pragma once

#include "protocol.hpp"

namespace hawser {

/// Starts one server and watches over its tree until nobody of it is left; then the process ends. `child_signals` is
/// the keeper's signalfd, which tells each process of its own children.
[[noreturn]] void run_warden(const keeper_protocol::start_request& request,
                             const int (&fds)[keeper_protocol::request_descriptors], int child_signals);

}  // namespace hawser

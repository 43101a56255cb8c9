// SPDX-License-Identifier: MIT
// Starts the program of a request. The warden supervises it afterwards.
#pragma once

#include <sys/types.h>

#include "protocol.hpp"

namespace hawser {

struct launch_result {
  pid_t pid = -1;
  int error = 0;  // errno; 0: running
  keeper_protocol::start_step step = keeper_protocol::start_step::fork;
};

/// Starts the program in its own session and process group, with descriptors 0, 1 and 2 only.
launch_result launch(const keeper_protocol::start_request& request, int payload, const int (&standard)[3]);

}  // namespace hawser

// SPDX-License-Identifier: MIT
// From a request to a running program. What happens to it afterwards is the warden's.
#pragma once

#include <sys/types.h>

#include "protocol.hpp"

namespace hawser {

struct launched {
  pid_t pid = -1;
  int error = 0;  // errno; 0 = it runs
  keeper_protocol::start_step step = keeper_protocol::start_step::fork;
};

/// Starts the program of a request in a session and a group of its own, with descriptors 0, 1 and 2 and no other.
launched launch(const keeper_protocol::start_request& request, int payload, const int (&standard)[3]);

}  // namespace hawser

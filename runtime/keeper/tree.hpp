// SPDX-License-Identifier: MIT
// The current children of this process, including adopted orphans.
#pragma once

#include <sys/types.h>

namespace hawser {

/// Calls `visit(pid, argument)` for each child; false if the system does not provide the list (no /proc).
bool for_each_child(void (*visit)(pid_t, void*), void* argument);

/// Whether all threads of the process have ended, so that it only waits to be reaped. False if unknown.
bool has_ended(pid_t pid);

/// The short name of the process (comm); empty if the process is gone.
void process_name(pid_t pid, char* name, unsigned size);

}  // namespace hawser

// SPDX-License-Identifier: MIT
// Who is a child of this process right now, orphans that it adopted included.
#pragma once

#include <sys/types.h>

namespace hawser {

/// Calls `visit(pid, argument)` for each; false where the system does not tell (no /proc).
bool for_each_child(void (*visit)(pid_t, void*), void* argument);

/// Whether nothing of it runs any more, and it only waits to be reaped. False where nobody can say.
bool has_ended(pid_t pid);

/// The short name of a process as the system knows it; an empty text for one that is gone.
void process_name(pid_t pid, char* name, unsigned size);

}  // namespace hawser

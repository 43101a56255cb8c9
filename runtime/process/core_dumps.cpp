// SPDX-License-Identifier: MIT
#include "core_dumps.hpp"

#include <sys/prctl.h>

namespace hawser {

// Not RLIMIT_CORE: children would inherit it, and it has no effect where cores are piped to a program.
bool disable_core_dumps() noexcept { return prctl(PR_SET_DUMPABLE, 0) == 0; }

}  // namespace hawser

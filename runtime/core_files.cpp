// SPDX-License-Identifier: MIT
#include "core_files.hpp"

#include <sys/prctl.h>

namespace hawser {

// Not RLIMIT_CORE: children would inherit it, and it has no effect where cores are piped to a program.
bool forbid_core_files() noexcept { return prctl(PR_SET_DUMPABLE, 0) == 0; }

}  // namespace hawser

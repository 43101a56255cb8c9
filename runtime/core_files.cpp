// SPDX-License-Identifier: MIT
#include "core_files.hpp"

#include <sys/prctl.h>

namespace hawser {

// Not the limit for core files: children would inherit it, and where cores go to a program it does not count.
bool forbid_core_files() noexcept { return prctl(PR_SET_DUMPABLE, 0) == 0; }

}  // namespace hawser

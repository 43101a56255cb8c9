// SPDX-License-Identifier: MIT
#include "core_dumps.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>

namespace hawser::cli {

void forbid_core_dumps() noexcept {
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &none);
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  return;  // it has to look into its own process at the end
#endif
#endif
  prctl(PR_SET_DUMPABLE, 0);
}

}  // namespace hawser::cli

// SPDX-License-Identifier: MIT
#include "check.hpp"

#include <cstdio>
#include <cstdlib>

namespace hawser::detail {

void check_failed(const char* sentence) noexcept {
  std::fprintf(stderr, "hawser: broken rule: %s\n", sentence);
  std::abort();
}

}  // namespace hawser::detail

// SPDX-License-Identifier: MIT
// The one file that the folder of the build is written into: all others compile to the same bytes in every clone, which
// is what a compiler cache needs.
#include "source_root.hpp"

namespace hawser::testing {

std::string source_root() { return HAWSER_SOURCE_ROOT; }

}  // namespace hawser::testing

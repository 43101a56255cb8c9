// SPDX-License-Identifier: MIT
// The only file that contains the path of the source tree: all other files compile to the same bytes in every clone,
// as a compiler cache requires.
#include "source_root.hpp"

namespace hawser::testing {

std::string source_root() { return HAWSER_SOURCE_ROOT; }

}  // namespace hawser::testing

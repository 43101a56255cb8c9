// SPDX-License-Identifier: MIT
// Opens missing standard descriptors before a program opens anything else. If descriptor 0, 1 or 2 were closed, the
// first file or socket would get its number and receive the program's output. For programs only: a library must not
// decide this for the embedding program.
#pragma once

#include "../error.hpp"

namespace hawser {

/// Opens /dev/null for each closed descriptor from 0 to 2, in the opposite direction, so that reading stdin and writing
/// stdout or stderr still fail with EBADF. Programs started by this one inherit them.
result<void> open_standard_descriptors();

}  // namespace hawser

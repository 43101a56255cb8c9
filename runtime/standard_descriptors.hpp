// SPDX-License-Identifier: MIT
// What a program does before it opens anything: a descriptor 0, 1 or 2 that is missing would become that of its first
// file or socket, and what it prints would be written there. For programs; a library does not decide that for whoever
// embeds it.
#pragma once

#include "error.hpp"

namespace hawser {

/// Descriptors 0 to 2 that are closed become /dev/null, opened so that reading stdin and writing stdout or stderr is
/// still the error EBADF. Programs that this one starts inherit them.
result<void> open_standard_descriptors();

}  // namespace hawser

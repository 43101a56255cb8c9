// SPDX-License-Identifier: MIT
// Disables core dumps of a program that holds tokens. For programs only: a library must not decide this for the
// embedding program.
#pragma once

namespace hawser {

/// From now on a crash of this process leaves no core file, and other processes of the user cannot read its memory.
/// Programs started by it are not affected. False if the system does not support it.
bool disable_core_dumps() noexcept;

}  // namespace hawser

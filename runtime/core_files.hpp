// SPDX-License-Identifier: MIT
// What a program that holds tokens does first: its memory is to be nobody's file. For programs; a library does not
// decide that for whoever embeds it.
#pragma once

namespace hawser {

/// From now on a crash of this process leaves no core file, and other processes of the user cannot read its memory.
/// Programs that it starts are not concerned. False where the system does not know how.
bool forbid_core_files() noexcept;

}  // namespace hawser

// SPDX-License-Identifier: MIT
// A line on the terminal that says how far it is; nothing where stderr is no terminal.
#pragma once

namespace hawser::bench {

/// Between measurements, never inside one.
void show_progress(const char* what, int done, int of);
/// Takes the line away.
void end_progress();

}  // namespace hawser::bench

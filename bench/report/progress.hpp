// SPDX-License-Identifier: MIT
// A progress line on the terminal; nothing if stderr is not a terminal.
#pragma once

namespace hawser::bench {

/// Call between measurements, never inside one.
void show_progress(const char* what, int done, int of);
/// Erases the line.
void end_progress();

}  // namespace hawser::bench

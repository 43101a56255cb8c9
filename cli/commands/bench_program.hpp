// SPDX-License-Identifier: MIT
// `hawser bench`: runs the hawser-bench program.
#pragma once

namespace hawser::cli {

/// Replaces this process with hawser-bench and these arguments, which end with a null pointer. The program is looked
/// up beside this one and then in the PATH. Returns only if it cannot be started: 127, as in shells.
int run_bench(char** words);

}  // namespace hawser::cli

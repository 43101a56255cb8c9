// SPDX-License-Identifier: MIT
// `hawser bench`: another program of the house under this one's name.
#pragma once

namespace hawser::cli {

/// Becomes hawser-bench with these words, which end with a null pointer; it is looked for beside this program and in
/// the PATH. Returns only if there is none: 127, as shells have it.
int run_bench(char** words);

}  // namespace hawser::cli

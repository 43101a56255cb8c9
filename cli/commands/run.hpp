// SPDX-License-Identifier: MIT
// `hawser run`: runs a command under the keeper.
#pragma once

#include <string>
#include <vector>

namespace hawser::cli {

struct run_options {
  std::vector<std::string> words{};  ///< the program and its arguments
  std::string directory{};
  double grace_seconds = 2;
};

/// Returns the program's exit code.
int run(const run_options& options);

}  // namespace hawser::cli

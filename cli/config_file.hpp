// SPDX-License-Identifier: MIT
// Which servers there are: the configuration that the command line or the environment names, read before the loop runs.
#pragma once

#include "../host/config.hpp"
#include "common_options.hpp"
#include "output.hpp"

namespace hawser::cli {

struct configured {
  host_settings settings{};
  std::string file{};   ///< empty: none was named
  bool usable = false;  ///< false: the file is missing or no configuration at all; what is wrong was printed
};

/// Prints what is wrong with it, a line each, as compilers do.
configured read_configuration(const common_options& options, output& complaints);

/// Where to keep what was learned about servers; empty if nowhere.
std::string memory_folder(const common_options& options);

}  // namespace hawser::cli

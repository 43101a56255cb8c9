// SPDX-License-Identifier: MIT
// Parses the command line and runs a command. The only file that uses CLI11.
#pragma once

namespace hawser::cli {

/// Returns the program's exit code.
int run_command_line(int argc, char** argv);

}  // namespace hawser::cli

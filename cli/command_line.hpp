// SPDX-License-Identifier: MIT
// From the words of the command line to a command; the only place that knows CLI11.
#pragma once

namespace hawser::cli {

/// Returns the program's exit code.
int run_command_line(int argc, char** argv);

}  // namespace hawser::cli

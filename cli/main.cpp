// SPDX-License-Identifier: MIT
// The `hawser` program.
#include <csignal>

#include "command_line.hpp"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // an output that nobody reads is an error of write(); children get their own signals
  return hawser::cli::run_command_line(argc, argv);
}

// SPDX-License-Identifier: MIT
// The `hawser` program.
#include <csignal>
#include <cstdio>

#include "../runtime/process/standard_descriptors.hpp"
#include "command_line.hpp"
#include "exit_code.hpp"

int main(int argc, char** argv) {
  if (const auto opened = hawser::open_standard_descriptors(); !opened) {
    std::fprintf(stderr, "hawser: %s\n", opened.error().what.c_str());
    return static_cast<int>(hawser::cli::exit_code::not_written);
  }
  std::signal(SIGPIPE, SIG_IGN);  // write() then fails with EPIPE; child processes get default signals
  return hawser::cli::run_command_line(argc, argv);
}

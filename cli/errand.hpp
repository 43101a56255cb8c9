// SPDX-License-Identifier: MIT
// One run of a command that has to do with servers: configuration, loop, hub, Ctrl-C and the way out are the same for
// all of them, what is done in between is the command's.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "../host/hub.hpp"
#include "common_options.hpp"
#include "exit_code.hpp"
#include "terminal.hpp"

namespace hawser::cli {

/// What a command works with; outlives it.
struct errand {
  const common_options& options;
  terminal& screen;
  progress& waiting;
  hub& servers;
};

struct errand_plan {
  enum class starting : std::uint8_t { what_is_needed, all };
  enum class ending : std::uint8_t { by_itself, by_interruption };  ///< the latter: Ctrl-C is its regular end
  /// What is done. An error is printed, and decides on the exit code.
  std::function<task<result<exit_code>>(errand&)> work;
  starting starts = starting::what_is_needed;
  ending ends = ending::by_itself;
  std::function<void(const host_change&)> on_change{};
  /// Called with the error that is printed, for programs that read the output.
  std::function<void(const error&)> on_error{};
};

/// Returns the program's exit code.
int run_errand(terminal& screen, const common_options& options, errand_plan plan);

/// The names of the servers that are enabled, or of the one that was asked for. errc::config if there is none.
result<std::vector<std::string>> wanted_servers(const errand& e, const std::string& only);

/// Starts them at the same time and waits; returns those that are ready. Why others are not is printed. An error only
/// if a stop came first.
task<result<std::vector<std::string>>> started(errand& e, std::vector<std::string> names);

void complain(output& to, const error& why);

}  // namespace hawser::cli

// SPDX-License-Identifier: MIT
// Which servers there are: the configuration that the command line or the environment names, read before the loop runs.
#pragma once

#include "../host/config.hpp"
#include "common_options.hpp"
#include "output.hpp"

namespace hawser::cli {

struct configured {
  host_settings settings{};
  std::string file{};                      ///< empty: none was named
  bool usable = false;                     ///< false: the file is missing or no configuration at all
  error failure{};                         ///< then: the first thing that is wrong
  std::vector<config_problem> problems{};  ///< what is wrong with it
  std::vector<std::string> refused{};      ///< servers that are left out because of it

  [[nodiscard]] bool refuses(std::string_view server) const;
  /// Of the entry of a server that is refused; null where there is none.
  [[nodiscard]] const config_problem* first_error_of(std::string_view server) const;
  /// Why a server that is refused is left out: the first error of its entry, with its place.
  [[nodiscard]] std::string why_refused(std::string_view server) const;
};

/// Prints why a file is not usable; else nothing: which problems matter is known to the command.
configured read_configuration(const common_options& options, output& complaints);

/// A line each, as compilers do.
void print_problem(output& to, const config_problem& problem);

/// Where to keep what was learned about servers; empty if nowhere.
std::string memory_folder(const common_options& options);

}  // namespace hawser::cli

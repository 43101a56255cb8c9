// SPDX-License-Identifier: MIT
// Reads the configuration file named by the command line or the environment, before the loop runs.
#pragma once

#include "../host/config/config.hpp"
#include "common_options.hpp"
#include "terminal/output.hpp"

namespace hawser::cli {

struct loaded_settings {
  host_settings settings{};
  std::string file{};                          ///< empty: none was named
  bool usable = false;                         ///< false: the file is missing or is not a configuration
  error failure{};                             ///< if not usable: the first problem
  std::vector<config_problem> problems{};      ///< all problems found
  std::vector<std::string> refused_servers{};  ///< servers that are left out because of errors in their entries

  [[nodiscard]] bool refuses(std::string_view server) const;
  /// The first error in the entry of a refused server; null if there is none.
  [[nodiscard]] const config_problem* first_error_of(std::string_view server) const;
  /// Why a refused server is left out: the first error in its entry, with its location.
  [[nodiscard]] std::string refusal_reason(std::string_view server) const;
};

/// Prints the problems only if the file is not usable; otherwise the command decides which problems are relevant.
loaded_settings read_configuration(const common_options& options, output& complaints);

/// One line per problem, in the style of compilers.
void print_problem(output& to, const config_problem& problem);

/// The folder of the server cache; empty if there is none.
std::string cache_folder(const common_options& options);

}  // namespace hawser::cli

// SPDX-License-Identifier: MIT
// All results as a page to publish: RESULTS.md with the machine, the goals, and the tables and plots of each
// benchmark.
#pragma once

#include <span>
#include <string>

#include "../questions/verdict.hpp"
#include "report.hpp"

namespace hawser::bench {

/// The path of a benchmark's plot.
std::string plot_path(const std::string& folder, const std::string& question);
/// Creates the folders. The error names the one that cannot be created.
result<void> prepare_results(const std::string& folder);
/// The page's text; links only plots whose files exist.
std::string results_page(const settings& s, std::span<const benchmark_output> all, const figure_list& goals);
result<void> write_results(const settings& s, std::span<const benchmark_output> all, const figure_list& goals);

}  // namespace hawser::bench

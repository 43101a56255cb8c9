// SPDX-License-Identifier: MIT
// Everything that was found, as a page to publish: RESULTS.md with the machine, the goals, each question's tables and
// plots.
#pragma once

#include <span>
#include <string>

#include "report.hpp"
#include "verdict.hpp"

namespace hawser::bench {

/// Where the plot of a question belongs.
std::string plot_path(const std::string& folder, const std::string& question);
/// Makes the folders. The error names the one that cannot be made.
result<void> prepare_results(const std::string& folder);
/// The page's text; plots are named where their files exist.
std::string results_page(const settings& s, std::span<const answered> all, const figure_list& goals);
result<void> write_results(const settings& s, std::span<const answered> all, const figure_list& goals);

}  // namespace hawser::bench

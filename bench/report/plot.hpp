// SPDX-License-Identifier: MIT
// Charts of the results: latency distributions, throughput over calls in flight, latency under load.
#pragma once

#include <vector>

#include "../../runtime/error.hpp"
#include "chart.hpp"
#include "report.hpp"

namespace hawser::bench {

/// Empty for a report that has only figures.
std::vector<chart> charts_of(const settings& s, const report& found);

/// Writes to `s.plot` atomically. The error names the file.
result<void> plot(const settings& s, const report& found);

}  // namespace hawser::bench

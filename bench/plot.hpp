// SPDX-License-Identifier: MIT
// What a question found, as charts: distributions of latency, throughput over calls in flight, latency under load.
#pragma once

#include <vector>

#include "../runtime/error.hpp"
#include "chart.hpp"
#include "report.hpp"

namespace hawser::bench {

/// None for a report that has only figures.
std::vector<chart> charts_of(const settings& s, const report& found);

/// Into `s.plot`, in one piece or not at all. The error names the file.
result<void> plot(const settings& s, const report& found);

}  // namespace hawser::bench

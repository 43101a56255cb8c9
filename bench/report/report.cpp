// SPDX-License-Identifier: MIT
#include "report.hpp"

#include <algorithm>
#include <cmath>

namespace hawser::bench {

bool report::met() const noexcept {
  return std::all_of(figures_.begin(), figures_.end(), [](const figure_list& list) {
    return std::all_of(list.all.begin(), list.all.end(), [](const goal& g) { return g.met(); });
  });
}

void warn_of_noise(report& found) {
  // On a quiet machine the rounds of a pinned floor differ by a few percent. Ratios within a round tolerate more, but
  // if the floor itself has two speeds, a p99 is meaningless.
  constexpr double too_noisy = 0.5;
  for (const latency_table& table : found.tables()) {
    if (table.rows.size() < 2) continue;
    const double spread = table.rows.front().latency.round_spread();
    if (spread <= too_noisy) continue;
    found.warn("the machine is too noisy to say much: the rounds of \"" + table.rows.front().name + "\" differ by " +
               std::to_string(std::lround(spread * 100)) + " %; end what else runs, or measure again");
  }
}

}  // namespace hawser::bench

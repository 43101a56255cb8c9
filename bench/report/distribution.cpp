// SPDX-License-Identifier: MIT
#include "distribution.hpp"

#include <algorithm>
#include <cmath>

namespace hawser::bench {

namespace {

// Nearest-rank method; sorts its own copy.
template <class T>
T rank_of(std::vector<T> values, double percent) {
  if (values.empty()) return {};
  // 99.9 % of 1,000 is 999 and must not round up.
  const double exact = percent / 100 * static_cast<double>(values.size());
  const auto rank = static_cast<std::size_t>(std::ceil(exact - 1e-6));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::clamp<std::size_t>(rank, 1, values.size()) - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

double median(std::vector<double> values) { return rank_of(std::move(values), 50); }

void distribution::end_round() {
  const std::vector<std::int64_t> round(values_.begin() + static_cast<std::ptrdiff_t>(round_begin_), values_.end());
  round_begin_ = values_.size();
  round_medians_.push_back(static_cast<double>(rank_of(round, 50)));
}

double distribution::percentile(double p) const { return static_cast<double>(rank_of(values_, p)) / 1000; }

double distribution::ratio_to(const distribution& floor) const {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(round_medians_.size(), floor.round_medians_.size()); ++i) {
    ratios.push_back(round_medians_[i] / floor.round_medians_[i]);
  }
  return rank_of(ratios, 50);
}

double distribution::round_spread() const {
  if (round_medians_.size() < 3) return 0;
  const double middle = rank_of(round_medians_, 50);
  return middle > 0 ? (rank_of(round_medians_, 90) - rank_of(round_medians_, 10)) / middle : 0;
}

}  // namespace hawser::bench

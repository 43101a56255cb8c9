// SPDX-License-Identifier: MIT
#include "nearest_names.hpp"

#include <algorithm>
#include <array>

namespace hawser::cli {

namespace {

constexpr std::size_t most_names = 3;
// Longer than any tool name; longer input is not a mistyped name.
constexpr std::size_t longest_typed = 256;

// A third of the characters may be wrong, but at most four.
std::size_t tolerance(std::size_t length) noexcept { return std::clamp<std::size_t>(length / 3, 1, 4); }

}  // namespace

// Optimal string alignment distance, limited to a band around the diagonal.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t most) {
  const std::size_t more = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (more > most) return most + 1;
  const std::size_t far = most + 1;
  std::array<std::vector<std::size_t>, 3> rows;  // row i - 2, row i - 1, row i
  for (auto& row : rows) row.assign(b.size() + 1, far);
  for (std::size_t j = 0; j <= std::min(b.size(), most); ++j) rows[1][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    const std::size_t first = i > most ? i - most : 1;
    const std::size_t last = std::min(b.size(), i + most);
    auto& now = rows[2];
    now[first - 1] = first == 1 && i <= most ? i : far;
    if (last < b.size()) now[last + 1] = far;
    for (std::size_t j = first; j <= last; ++j) {
      const std::size_t replaced = rows[1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({replaced, rows[1][j] + 1, now[j - 1] + 1, far});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) now[j] = std::min(now[j], rows[0][j - 2] + 1);
    }
    std::rotate(rows.begin(), rows.begin() + 1, rows.end());
  }
  return std::min(rows[1][b.size()], far);
}

nearest_names::nearest_names(std::string_view typed)
    : typed_(typed.substr(0, longest_typed + 1)), most_(tolerance(typed.size())) {}

void nearest_names::consider(std::string_view name, std::string_view alias) {
  if (typed_.size() > longest_typed) return;
  std::size_t distance = edit_distance(typed_, name, most_);
  if (!alias.empty()) distance = std::min(distance, edit_distance(typed_, alias, most_));
  if (distance > most_) return;
  candidate one{.distance = distance, .name = std::string{name}};
  const auto at = std::lower_bound(found_.begin(), found_.end(), one);
  if (at != found_.end() && *at == one) return;
  found_.insert(at, std::move(one));
  if (found_.size() > most_names) found_.pop_back();
}

std::vector<std::string> nearest_names::best() const {
  std::vector<std::string> names;
  for (const candidate& one : found_) names.push_back(one.name);
  return names;
}

std::string suggestion(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  std::string text = "; did you mean ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text + '?';
}

}  // namespace hawser::cli

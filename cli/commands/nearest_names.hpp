// SPDX-License-Identifier: MIT
// Suggests names that are similar to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hawser::cli {

/// The number of insertions, deletions, substitutions and transpositions of adjacent characters between two strings;
/// `most` + 1 if it exceeds `most`. Takes time proportional to `most` times the length.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t most);

/// Collects names and keeps the ones nearest to the typed word.
class nearest_names {
 public:
  explicit nearest_names(std::string_view typed);
  /// The distance is that of `name` or, if smaller, of `alias`, an alternative name; may be empty.
  void consider(std::string_view name, std::string_view alias = {});
  /// The nearest names, at most three; equal distances are ordered by name.
  [[nodiscard]] std::vector<std::string> best() const;

 private:
  struct candidate {
    std::size_t distance = 0;
    std::string name{};
    auto operator<=>(const candidate&) const = default;
  };
  std::string typed_;
  std::size_t most_;
  std::vector<candidate> found_;  // sorted
};

/// "; did you mean a, b or c?", or empty.
std::string suggestion(const std::vector<std::string>& names);

}  // namespace hawser::cli

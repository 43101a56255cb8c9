// SPDX-License-Identifier: MIT
// Which names somebody may have meant who mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hawser::cli {

/// How many characters have to be added, left out, replaced or swapped with their neighbour to make one of the other;
/// `most` + 1 if that is more than `most`. Takes time for `most` times the length.
std::size_t typing_distance(std::string_view a, std::string_view b, std::size_t most);

/// Collects names, and keeps those that are nearest to what was typed.
class nearest_names {
 public:
  explicit nearest_names(std::string_view typed);
  /// Also near if `alias` is: another word for it, or empty.
  void consider(std::string_view name, std::string_view alias = {});
  /// The nearest ones, at most three; those at the same distance by name.
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

/// "; did you mean a, b or c?", or nothing.
std::string suggestion(const std::vector<std::string>& names);

}  // namespace hawser::cli

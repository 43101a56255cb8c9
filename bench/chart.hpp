// SPDX-License-Identifier: MIT
// Line charts as one SVG file that looks right on light and on dark pages. Knows nothing of benchmarks.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hawser::bench {

struct tick {
  double at = 0;
  std::string text{};
};

struct axis {
  enum class scale { linear, logarithmic };
  std::string label{};
  double from = 0;
  double to = 1;
  scale how = scale::linear;
  std::vector<tick> ticks{};

  /// Where a value lies between the ends, 0 to 1; what lies beyond an end is at it.
  [[nodiscard]] double place(double value) const;
};

struct series {
  std::string name{};
  std::string note{};  ///< stands beside the name
  std::vector<std::pair<double, double>> points{};
  bool dashed = false;
  std::size_t color = 0;  ///< series of one color belong together
};

struct chart {
  std::string title{};
  std::string subtitle{};
  axis x{};
  axis y{};
  std::vector<series> lines{};
};

/// From the decade below `least` to the one above `most`, ticked so that four to a dozen lines result.
axis logarithmic_axis(std::string label, double least, double most, std::string (*text)(double));
/// From zero to a round number above `most`.
axis linear_axis(std::string label, double most, std::string (*text)(double));

/// All of them, one below the other.
std::string draw(std::span<const chart> charts);

}  // namespace hawser::bench

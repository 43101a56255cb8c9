// SPDX-License-Identifier: MIT
// Line charts as one SVG file that is legible on light and dark pages. Independent of benchmarks.
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

  /// The position of a value between the ends, 0 to 1; values beyond an end are clamped.
  [[nodiscard]] double place(double value) const;
};

struct series {
  std::string name{};
  std::string note{};  ///< shown beside the name
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

/// From the decade below `least` to the one above `most`, with four to about twelve ticks.
axis logarithmic_axis(std::string label, double least, double most, std::string (*text)(double));
/// From zero to a round number above `most`.
axis linear_axis(std::string label, double most, std::string (*text)(double));

/// All charts, one below the other.
std::string draw(std::span<const chart> charts);

}  // namespace hawser::bench

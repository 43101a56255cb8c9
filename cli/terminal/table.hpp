// SPDX-License-Identifier: MIT
// A table with headings and aligned columns. On a terminal the last column is cut to the width; a file or pipe gets
// every cell in full.
#pragma once

#include <vector>

#include "output.hpp"

namespace hawser::cli {

struct cell {
  safe_text text{};
  text_style colour = text_style::plain;
};

class table {
 public:
  explicit table(std::initializer_list<text_piece> headings);
  /// Needs as many cells as there are headings.
  void add(std::vector<cell> row) { rows_.push_back(std::move(row)); }
  [[nodiscard]] bool empty() const noexcept { return rows_.size() == 1; }
  void print_to(output& to) const;

 private:
  std::vector<std::vector<cell>> rows_;  // the headings first
};

}  // namespace hawser::cli

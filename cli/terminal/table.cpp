// SPDX-License-Identifier: MIT
#include "table.hpp"

#include <algorithm>

namespace hawser::cli {

namespace {

constexpr std::size_t gap = 2;
// A wider cell does not widen its column: one long name would make every line that long.
constexpr std::size_t widest_aligned = 200;
// The limit for a cell on a terminal.
constexpr std::size_t widest_shown = 2'000;

// Cuts the last cell to the rest of the terminal's width, to one column at least.
safe_text last_cell(const safe_text& text, std::size_t begins, std::optional<std::size_t> width) {
  if (!width) return text;
  return text.fitted(*width > begins ? *width - begins : 1);
}

}  // namespace

table::table(std::initializer_list<text_piece> headings) {
  std::vector<cell> row;
  for (const text_piece& heading : headings) row.push_back({.text = safe_text{heading}, .colour = text_style::bold});
  rows_.push_back(std::move(row));
}

void table::print_to(output& to) const {
  const std::size_t columns = rows_.front().size();
  std::vector<std::size_t> widths(columns, 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i + 1 < columns; ++i)
      widths[i] = std::max(widths[i], std::min(row[i].text.columns(), widest_aligned));
  }
  const safe_text space{" "};
  for (const auto& row : rows_) {
    std::size_t begins = 0;
    for (std::size_t i = 0; i + 1 < columns; ++i) {
      const safe_text shown = to.is_terminal() ? row[i].text.fitted(widest_shown) : row[i].text;
      const std::size_t width = shown.columns();
      const std::size_t end = std::max(widths[i], width) + gap;
      to.print({styled(row[i].colour, shown), space.repeated(end - width)});
      begins += end;
    }
    const safe_text last = last_cell(row.back().text, begins, to.width());
    to.line({styled(row.back().colour, last)});
  }
}

}  // namespace hawser::cli

// SPDX-License-Identifier: MIT
// Reads one page of a tools/list answer into a tool_list, without copying what it can point to. One bad tool does not
// spoil the others.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../registry/tool.hpp"
#include "../transports/message.hpp"

namespace hawser {

/// A tool that cannot be used, and why.
struct skipped_tool {
  std::string name;  ///< as far as there is one; untrusted
  std::string why;
};

struct tool_page {
  std::optional<std::string> next_cursor{};  ///< an empty one is one, too
  bool complete = true;                      ///< by its resultType; a legacy page has none
  std::vector<skipped_tool> skipped{};       ///< the first hundred of them
  std::size_t skipped_count = 0;
};

/// All pages together.
struct tool_listing {
  std::shared_ptr<const tool_list> tools{};
  std::vector<skipped_tool> skipped{};
  std::size_t skipped_count = 0;
  std::uint64_t changes = 0;  ///< session::tool_changes() when the listing began
};

/// Appends the page's tools to `into`, which keeps the page's bytes. Never more than `max_tools` in all: beyond it the
/// page is refused, and `into` is of no use.
result<tool_page> read_tool_page(raw_json page, tool_list& into, std::size_t max_tools);

}  // namespace hawser

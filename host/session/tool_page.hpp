// SPDX-License-Identifier: MIT
// Reads one page of a tools/list result into a tool_list, without copying where a view suffices. A bad tool is skipped;
// the others are kept.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../registry/tool.hpp"
#include "../../transports/jsonrpc/message.hpp"

namespace hawser {

/// A tool that cannot be used, and why.
struct skipped_tool {
  std::string name;  ///< if it has one; untrusted
  std::string why;
};

struct tool_page {
  std::optional<std::string> next_cursor{};  ///< an empty string is a cursor, too
  bool complete = true;                      ///< by its resultType; legacy pages have none
  std::vector<skipped_tool> skipped{};       ///< the first hundred
  std::size_t skipped_count = 0;
};

/// All pages of a tool list.
struct tool_listing {
  std::shared_ptr<const tool_list> tools{};
  std::vector<skipped_tool> skipped{};
  std::size_t skipped_count = 0;
  std::uint64_t changes = 0;  ///< session::tool_changes() when the listing started
};

/// Appends the page's tools to `into`, which keeps the page's bytes. If there are more than `max_tools` in all, returns
/// an error, and `into` must not be used.
result<tool_page> read_tool_page(raw_json page, tool_list& into, std::size_t max_tools);

}  // namespace hawser

// SPDX-License-Identifier: MIT
// Renders tables as in the result of MCP's tools/list. The same tools give the same bytes, whatever the order of their
// servers, so that a model's prompt cache stays valid.
#pragma once

#include <span>
#include <string>

#include "tool_filter.hpp"
#include "tool_table.hpp"

namespace hawser {

struct render_options {
  bool server_in_description = true;    ///< puts "[server] " in front of the tool's description
  const tool_filter* filter = nullptr;  ///< null: all rows
};

/// Appends a JSON array of tool objects with name, title, description, inputSchema and outputSchema, in this order;
/// absent members are omitted. Always on one line: line breaks in the servers' schemas are replaced.
void append_tools(std::string& to, std::span<const tool_row* const> rows, const render_options& options = {});

/// Appends a single tool object.
void append_tool(std::string& to, const tool_row& row, const render_options& options = {});

/// Renders a whole table.
std::string render_tools(const tool_table& table, const render_options& options = {});

namespace detail {
/// Appends `text` escaped for a JSON string, without the quotes. Invalid UTF-8 becomes U+FFFD, so that the output stays
/// valid.
void append_escaped(std::string& to, std::string_view text);
}  // namespace detail

}  // namespace hawser

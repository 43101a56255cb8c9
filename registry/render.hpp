// SPDX-License-Identifier: MIT
// Tables as MCP's tools/list shows them. The same tools give the same bytes, whatever order their servers came in, so
// that a model's prompt cache holds.
#pragma once

#include <span>
#include <string>

#include "filter.hpp"
#include "tool_table.hpp"

namespace hawser {

struct render_options {
  bool server_in_description = true;    ///< "[server] " before what the tool says of itself
  const tool_filter* filter = nullptr;  ///< null: every row
};

/// Appends a JSON array of tool objects: name, title, description, inputSchema, outputSchema, in this order, absent
/// ones left out. On one line, whatever line breaks the servers' schemas have.
void append_tools(std::string& to, std::span<const tool_row* const> rows, const render_options& options = {});

/// One of them.
void append_tool(std::string& to, const tool_row& row, const render_options& options = {});

/// A whole table.
std::string render_tools(const tool_table& table, const render_options& options = {});

namespace detail {
/// What is inside the quotes of a JSON string. Bytes that are not UTF-8 become U+FFFD: the answer stays valid.
void append_escaped(std::string& to, std::string_view text);
}  // namespace detail

}  // namespace hawser

// SPDX-License-Identifier: MIT
// The tool that a call is for, with what is needed to look it up again: a call may wait for a start, and a start lists
// the tools again.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "../../registry/reader.hpp"
#include "../result/envelope.hpp"

namespace hawser {

struct tool_reference {
  std::string tool{};         ///< the server's own name for the tool
  std::string exposed{};      ///< the exposed name it was called by; empty: called by server and `tool`
  std::uint64_t version = 0;  ///< version of the table in which `exposed` was found
  output_schema schema{};

  tool_reference() = default;
  explicit tool_reference(std::string own_name) : tool(std::move(own_name)) {}
  /// `row` is a row of `held`.
  tool_reference(const tool_row& row, const table_ref& held)
      : tool(row.definition->name),
        exposed(row.name),
        version(held->version()),
        schema{.json = row.definition->output_schema} {
    if (!schema.json.empty()) schema.owner = std::make_shared<const table_ref>(held);  // keeps the row's text alive
  }
};

}  // namespace hawser

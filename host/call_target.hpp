// SPDX-License-Identifier: MIT
// Which tool of a server a call is for, and what has to be known to look it up again: a call may wait for a start, and
// a start lists the tools anew.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "../registry/reader.hpp"
#include "envelope.hpp"

namespace hawser {

struct call_target {
  std::string tool{};         ///< the server's own name for it
  std::string exposed{};      ///< the name it was called by; empty: it was called by its server and `tool`
  std::uint64_t version = 0;  ///< of the table in which `exposed` was found
  output_schema schema{};

  call_target() = default;
  explicit call_target(std::string own_name) : tool(std::move(own_name)) {}
  /// `row` is a row of `held`.
  call_target(const tool_row& row, const table_ref& held)
      : tool(row.definition->name),
        exposed(row.name),
        version(held->version()),
        schema{.json = row.definition->output_schema} {
    if (!schema.json.empty()) schema.keeper = std::make_shared<const table_ref>(held);  // the row's texts live as long
  }
};

}  // namespace hawser

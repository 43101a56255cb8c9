// SPDX-License-Identifier: MIT
// One row of a table: everything a caller needs to get from a name to the session that serves it. Immutable; valid as
// long as the pin or table_ref under which it was found.
#pragma once

#include <cstdint>
#include <string_view>

#include "server_id.hpp"
#include "tool.hpp"

namespace hawser {

/// A server that has just disconnected keeps its rows for a while, so that a reconnect does not change the listing.
enum class availability : std::uint8_t { available, unavailable };

struct tool_row {
  std::string_view name;         ///< the exposed name
  std::string_view server_name;  ///< empty: a native tool
  const tool* definition;
  std::uint64_t hash;  ///< of the exposed name, under the registry's seed
  server_id server;
  availability state;

  [[nodiscard]] bool available() const noexcept { return state == availability::available; }
};

static_assert(sizeof(tool_row) <= 64, "a row is one cache line: a lookup reads one of them");

}  // namespace hawser

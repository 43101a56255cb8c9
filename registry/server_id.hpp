// SPDX-License-Identifier: MIT
// Identifies the server of a row by value, so that it can be read on any thread and kept while servers come and go.
// Only the loop thread resolves it to a session, and answers `server_gone` if the generation has changed.
#pragma once

#include <compare>
#include <cstdint>

namespace hawser {

struct server_id {
  std::uint32_t slot = 0;        ///< the index among the host's servers; reused after a removal
  std::uint32_t generation = 0;  ///< incremented for every new server and every restart in that slot

  friend bool operator==(const server_id&, const server_id&) = default;
  friend auto operator<=>(const server_id&, const server_id&) = default;
};

}  // namespace hawser

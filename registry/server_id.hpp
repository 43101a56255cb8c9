// SPDX-License-Identifier: MIT
// How a row names its server: by value, so that it may be read on any thread and kept while servers come and go. Only
// the loop thread turns it into a session, and answers `server_gone` if the generation has moved on.
#pragma once

#include <compare>
#include <cstdint>

namespace hawser {

struct server_id {
  std::uint32_t slot = 0;        ///< the place among the host's servers; used again after a removal
  std::uint32_t generation = 0;  ///< grows with every server and every restart in that place

  friend bool operator==(const server_id&, const server_id&) = default;
  friend auto operator<=>(const server_id&, const server_id&) = default;
};

}  // namespace hawser

// SPDX-License-Identifier: MIT
// The floor, Hawser and other clients alternate in calling the same server over the same transport.
#pragma once

#include "other_clients.hpp"

namespace hawser::bench {

/// Whether all of them could be measured; the others are named in the report's warnings.
bool side_by_side_over_stdio(const settings& s, const std::vector<peer_spec>& who, report& into);
bool side_by_side_over_http(const settings& s, const std::vector<peer_spec>& who, report& into);

}  // namespace hawser::bench

// SPDX-License-Identifier: MIT
// How fast this machine is at this moment, compared with the machine for which the bounds of the guard are stated.
#pragma once

namespace hawser::testing {

/// The CPU time that a fixed piece of work takes now, as a multiple of its time on the reference machine; at least 1.
/// Takes about 10 ms. A shared machine may answer differently from one second to the next.
double slowdown_now();

}  // namespace hawser::testing

// SPDX-License-Identifier: MIT
// The listeners among the options of a hub, which are called for many reasons, get their guard once.
#pragma once

#include "../hub.hpp"

namespace hawser::detail {

/// What on_change and trace throw is logged.
hub_options with_guards(hub_options options, loop& home);

}  // namespace hawser::detail

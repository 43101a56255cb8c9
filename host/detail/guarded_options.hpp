// SPDX-License-Identifier: MIT
// Wraps the listeners of hub_options once, so that their exceptions are caught wherever they are called.
#pragma once

#include "../hub.hpp"

namespace hawser::detail {

/// Exceptions from on_change and trace are logged.
hub_options with_guards(hub_options options, loop& event_loop);

}  // namespace hawser::detail

// SPDX-License-Identifier: MIT
// What the sessions of a host share.
#pragma once

#include "../../runtime/loop/loop.hpp"
#include "../config/settings.hpp"
#include "client_profile.hpp"
#include "input_dispatcher.hpp"

namespace hawser {

/// Outlives the sessions.
struct session_context {
  loop& home;
  const client_profile& client;
  const input_dispatcher& dispatcher;
  const host_limits& limits;
};

}  // namespace hawser

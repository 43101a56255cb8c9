// SPDX-License-Identifier: MIT
#pragma once

#include "protocol.hpp"

namespace hawser {

/// Starts one server and watches over its tree until nobody of it is left; then the process ends.
[[noreturn]] void run_warden(const keeper_protocol::start_request& request,
                             const int (&fds)[keeper_protocol::request_descriptors]);

}  // namespace hawser

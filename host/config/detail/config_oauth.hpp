// SPDX-License-Identifier: MIT
// Reads the key `oauth` of an entry: login settings that cannot be discovered.
#pragma once

#include "../../../oauth/oauth_settings.hpp"
#include "config_reader.hpp"

namespace hawser::detail {

/// `false`, or an object with keys in snake case (`client_id`) or camel case (`clientId`).
oauth_settings read_oauth(const config_member& at, config_reader& from);

}  // namespace hawser::detail

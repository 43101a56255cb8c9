// SPDX-License-Identifier: MIT
// The key `oauth` of an entry: how to log in to a server, as far as it cannot be found out.
#pragma once

#include "../../oauth/oauth_settings.hpp"
#include "config_reader.hpp"

namespace hawser::detail {

/// `false`, or an object whose keys may be written as in `client_id` or as in `clientId`.
oauth_settings read_oauth(const config_member& at, config_reader& from);

}  // namespace hawser::detail

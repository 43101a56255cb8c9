// SPDX-License-Identifier: MIT
// Where to log in for a server: which resource it is, and which authorization server speaks for it.
#pragma once

#include <optional>
#include <string>

#include "../transports/http_url.hpp"
#include "metadata.hpp"
#include "oauth_settings.hpp"

namespace hawser {

struct login_place {
  server_metadata at{};
  std::string resource{};               ///< goes into every request, byte for byte
  std::optional<std::string> scopes{};  ///< what the resource says it knows
};

/// `hinted` is where the server's challenge says that its metadata is; empty = it does not say. An issuer of the
/// settings is the only one that will do.
task<result<login_place>> find_login_place(web& asks, http_url server, std::string hinted, oauth_settings settings);

/// The canonical URI of a server that has no metadata: without fragment, and without a slash that means nothing.
std::string canonical_resource(const http_url& server);

}  // namespace hawser

// SPDX-License-Identifier: MIT
// Discovery: the resource identifier of a server, and its authorization server.
#pragma once

#include <optional>
#include <string>

#include "../transports/http/http_url.hpp"
#include "metadata.hpp"
#include "oauth_settings.hpp"

namespace hawser {

struct auth_metadata {
  authorization_server_metadata authorization_server{};
  std::string resource{};               ///< sent in every request, byte for byte
  std::optional<std::string> scopes{};  ///< scopes_supported of the resource
};

/// `resource_metadata_url` is the resource_metadata URL of the server's challenge; empty = none. If the settings have
/// an issuer, only that one is accepted.
task<result<auth_metadata>> discover(oauth_http& asks, http_url server, std::string resource_metadata_url,
                                     oauth_settings settings);

/// The canonical URI of a server without metadata: no fragment, and no trailing slash of an empty path.
std::string canonical_resource(const http_url& server);

}  // namespace hawser

// SPDX-License-Identifier: MIT
// As whom to log in at an authorization server: registered beforehand, by a document of one's own, from an earlier
// login, or registered now.
#pragma once

#include <optional>
#include <string>

#include "callback_server.hpp"
#include "login.hpp"
#include "metadata.hpp"
#include "oauth_settings.hpp"
#include "registration.hpp"
#include "token_store.hpp"

namespace hawser {

/// Without asking the server. T-26: never one that belongs to another issuer; errc::auth if the configured client would
/// be shown to another authorization server than before.
task<result<std::optional<client_identity>>> known_client(token_store& store, server_metadata at,
                                                          oauth_settings settings, std::string server_url,
                                                          std::int64_t now);

/// Dynamic registration, remembered. errc::auth says what to configure where the server offers none.
task<result<client_identity>> registered_client(token_store& store, web& asks, server_metadata at,
                                                registration_request what);

/// Where that client may be redirected to.
result<callback_server> callback_for(loop& home, const oauth_settings& settings,
                                     const std::optional<client_identity>& client);

}  // namespace hawser

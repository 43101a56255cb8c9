// SPDX-License-Identifier: MIT
// Chooses the client identity at an authorization server: preregistered, a client metadata document, from an earlier
// login, or registered now.
#pragma once

#include <optional>
#include <string>

#include "callback_server.hpp"
#include "client_registration.hpp"
#include "login.hpp"
#include "metadata.hpp"
#include "oauth_settings.hpp"
#include "store/credential_store.hpp"

namespace hawser {

/// Without contacting the server. T-26: never a client of another issuer. errc::auth if the configured client would be
/// sent to another authorization server than before.
task<result<std::optional<client_identity>>> select_client(credential_store& store, authorization_server_metadata at,
                                                           oauth_settings settings, std::string server_url,
                                                           std::int64_t now);

/// Dynamic client registration; the result is stored. errc::auth says what to configure if the server offers no
/// registration.
task<result<client_identity>> register_new_client(credential_store& store, oauth_http& asks,
                                                  authorization_server_metadata at, registration_request what);

/// Listens at a redirect URI that is valid for that client.
result<callback_server> listen_for_callback(loop& home, const oauth_settings& settings,
                                            const std::optional<client_identity>& client);

}  // namespace hawser

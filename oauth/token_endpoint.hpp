// SPDX-License-Identifier: MIT
// Token endpoint requests: authorization code, refresh token, client credentials; and revocation. server_login decides
// when to send them, and stores the tokens.
#pragma once

#include <string>

#include "client_authentication.hpp"
#include "oauth_http.hpp"

namespace hawser {

/// The server's answer, which may be a refusal.
struct token_response {
  token_set tokens{};
  std::string error_code{};         ///< its error code, such as `invalid_grant`; empty = granted
  std::string error_description{};  ///< its error_description, fit for display
  /// The first response was lost and this one answers the second attempt: a refusal may be the consequence of an unseen
  /// success.
  bool after_lost_response = false;
};

// Errors of all of them: errc::io (`native` is the status, if any), closed and timed_out are temporary and do not
// concern the credentials; errc::protocol and too_large: the response is unusable; errc::config: no request was sent.

/// Sent once: a code that may have arrived is used up.
task<result<token_response>> exchange_code(oauth_http& over, token_endpoint_context at, client_identity who,
                                           secret code, secret verifier, std::string redirect_uri);
/// Keeps the refresh token if the server issues no new one. Retried once after a lost response, because most servers
/// accept a just-rotated refresh token for some seconds.
task<result<token_response>> refresh_tokens(oauth_http& over, token_endpoint_context at, client_identity who,
                                            secret refresh);
task<result<token_response>> request_client_credentials(oauth_http& over, token_endpoint_context at,
                                                        client_identity who, std::string scope);

/// RFC 7009, at `at.endpoint`. `hint` is access_token or refresh_token. A token unknown to the server is not an error.
task<result<void>> revoke_token(oauth_http& over, token_endpoint_context at, client_identity who, secret token,
                                std::string hint);

}  // namespace hawser

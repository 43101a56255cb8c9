// SPDX-License-Identifier: MIT
// Asking for tokens: for a code, for a refresh token, for a machine's own credentials; and giving them back. When to
// ask, and where tokens are kept, is the authorizer's business.
#pragma once

#include <string>

#include "client_authentication.hpp"
#include "web.hpp"

namespace hawser {

/// What the server said, be it no.
struct token_outcome {
  token_set tokens{};
  std::string refusal{};      ///< its error code, `invalid_grant` say; empty = granted
  std::string description{};  ///< and its words, fit to be shown
  /// The first answer was lost on its way, this is the answer to the second attempt: a refusal may come from a
  /// success that nobody heard of.
  bool after_loss = false;
};

// Errors of all of them: errc::io (`native` is the status, if there was one), closed and timed_out may pass, and say
// nothing about the credentials; errc::protocol and too_large: the answer cannot be used; errc::config: nobody was
// asked.

/// Once: a code that may have arrived is spent.
task<result<token_outcome>> redeem_code(web& over, token_target at, client_identity who, secret code, secret verifier,
                                        std::string redirect_uri);
/// Keeps the refresh token where the server gives no new one. An answer that is lost is asked for once more, because
/// most servers grant some seconds of grace to a refresh token they have just replaced.
task<result<token_outcome>> renew(web& over, token_target at, client_identity who, secret refresh);
task<result<token_outcome>> client_credentials(web& over, token_target at, client_identity who, std::string scope);

/// RFC 7009, at `at.endpoint`. `hint` is access_token or refresh_token. A token the server does not know is no error.
task<result<void>> revoke(web& over, token_target at, client_identity who, secret token, std::string hint);

}  // namespace hawser

// SPDX-License-Identifier: MIT
// The authorization response (RFC 6749, 4.1.2), parsed and checked in the same way whether it came by redirect or was
// pasted. Pure. The flow checks `iss`.
#pragma once

#include <string>
#include <string_view>

#include "../runtime/crypto.hpp"
#include "../runtime/error.hpp"

namespace hawser {

struct authorization_response {
  secret code{};  ///< empty: an error instead
  std::string iss{};
  bool has_iss = false;
  std::string error{};              ///< one line, not truncated; not shown before `iss` has been checked …
  std::string error_description{};  ///< … like this one
  bool code_only = false;           ///< only a code was pasted, so its issuer is unknown
};

/// Parses the query of a redirect. errc::parse: not a query, or a repeated parameter. errc::auth: `state` is missing or
/// belongs to another login. errc::protocol: `state` matches, but there is neither a code nor an error. Errors do not
/// quote the query.
result<authorization_response> parse_redirect_query(std::string_view query, const secret& state);

/// Parses pasted text: the whole redirect URL, its query, or a bare code. Only a bare code may come without `state`.
/// Errors as above; also errc::parse for a URL that does not match `redirect_uri`.
result<authorization_response> parse_pasted_response(std::string_view text, std::string_view redirect_uri,
                                                     const secret& state);

}  // namespace hawser

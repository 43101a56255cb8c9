// SPDX-License-Identifier: MIT
// Dynamic client registration (RFC 7591). The token store keeps the registrations; the flow decides whether to
// register.
#pragma once

#include <string>

#include "login.hpp"
#include "metadata.hpp"
#include "unix_clock.hpp"

namespace hawser {

struct registration_request {
  std::string redirect_uri{};  ///< of the listener, which is already bound: it includes the port
  std::string client_name = "Hawser";
  bool refresh = true;  ///< request the refresh_token grant
  unix_clock now = unix_now;
};

/// Sends one request, never a retry. errc::auth: the server refused the registration, with its reason; a client must be
/// registered by hand. errc::io, closed and timed_out are temporary; errc::protocol: the registration is unusable.
task<result<client_identity>> register_client(oauth_http& over, authorization_server_metadata at,
                                              registration_request what);

}  // namespace hawser

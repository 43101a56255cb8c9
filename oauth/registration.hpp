// SPDX-License-Identifier: MIT
// Dynamic client registration (RFC 7591): introducing ourselves to an authorization server that has never heard of us.
// Who is registered where is remembered by the token store; whether to register at all is the flow's choice.
#pragma once

#include <string>

#include "login.hpp"
#include "metadata.hpp"
#include "unix_clock.hpp"

namespace hawser {

struct registration_request {
  std::string redirect_uri{};  ///< where the listener already is: its port is part of it
  std::string client_name = "Hawser";
  bool refresh = true;  ///< asks to be given refresh tokens
  unix_clock now = unix_now;
};

/// Once, whatever comes back. errc::auth: the server does not register us, and says why; somebody has to be registered
/// by hand. errc::io, closed and timed_out may pass; errc::protocol: the registration cannot be used.
task<result<client_identity>> register_client(web& over, server_metadata at, registration_request what);

}  // namespace hawser

// SPDX-License-Identifier: MIT
// What the login of a server needs from outside: the services that all logins share, and the server's settings.
#pragma once

#include <functional>
#include <string>

#include "../runtime/io/dns.hpp"
#include "../runtime/loop/loop.hpp"
#include "../transports/http/client/http_client.hpp"
#include "oauth_settings.hpp"
#include "store/credential_store.hpp"
#include "unix_clock.hpp"

namespace hawser {

/// Shared by all logins; outlives them.
struct login_context {
  loop& event_loop;
  credential_store& store;
  resolver& names;
  bool opens_browser = true;
  unix_clock now = unix_now;
};

struct server_login_options {
  std::string name{};  ///< the server's name, for messages
  std::string url{};   ///< as configured
  oauth_settings settings{};
  /// Options for connections to authorization servers: certificates and proxies.
  std::function<task<result<http_client_options>>()> connection{};
  /// Options for connections to the server's own origin, for its metadata; empty = as above.
  std::function<task<result<http_client_options>>()> server_connection{};
  std::function<void()> on_login_needed{};  ///< called when an interactive login is needed
};

}  // namespace hawser

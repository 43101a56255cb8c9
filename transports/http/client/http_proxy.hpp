// SPDX-License-Identifier: MIT
// Chooses the proxy of a request by the usual environment variables: HTTP_PROXY, HTTPS_PROXY, NO_PROXY.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "../../../runtime/crypto.hpp"
#include "../http_url.hpp"

namespace hawser {

struct http_proxy {
  http_url at{};
  secret authorization{};  ///< the value of Proxy-Authorization; empty = none

  /// `http://[user:password@]host:port`. errc::config says what is wrong, without the password.
  static result<http_proxy> parse(std::string_view text);
  /// Appends the Proxy-Authorization field if there is a login. Reserves memory first, so that no reallocation leaves a
  /// copy of it behind.
  void append_login(std::string& head) const;
};

struct proxy_rules {
  std::string for_http{};  ///< empty = none
  std::string for_https{};
  std::string except{};  ///< hosts, `.suffix`es, addresses, each with an optional port, or `*`; separated by commas

  /// Reads the environment of this process. HTTP_PROXY in capitals is ignored: in a CGI program a client could set it.
  static proxy_rules from_environment();
  /// The proxy for this URL, if any. Loopback is never proxied.
  [[nodiscard]] result<std::optional<http_proxy>> choose(const http_url& url) const;
};

}  // namespace hawser

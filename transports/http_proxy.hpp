// SPDX-License-Identifier: MIT
// Which requests go through a proxy, by the rules everybody's environment follows: HTTP_PROXY, HTTPS_PROXY, NO_PROXY.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "../runtime/crypto.hpp"
#include "http_url.hpp"

namespace hawser {

struct http_proxy {
  http_url at{};
  secret authorization{};  ///< the value of Proxy-Authorization; empty = none

  /// `http://[user:password@]host:port`. errc::config says what is wrong, and never the password.
  static result<http_proxy> parse(std::string_view text);
  /// Appends the header field of a login, where there is one; nothing of it is left in memory that the text had before.
  void append_login(std::string& head) const;
};

struct proxy_rules {
  std::string for_http{};  ///< empty = none
  std::string for_https{};
  std::string except{};  ///< hosts, `.suffix`es, addresses, each with or without a port, or `*`; separated by commas

  /// What the environment of this process says. HTTP_PROXY in capitals is not looked at: in a CGI program a client
  /// could set it.
  static proxy_rules from_environment();
  /// The proxy for this URL, if any. Loopback never goes through one.
  [[nodiscard]] result<std::optional<http_proxy>> choose(const http_url& to) const;
};

}  // namespace hawser

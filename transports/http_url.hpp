// SPDX-License-Identifier: MIT
// An absolute http or https URL, parsed once and by one parser: what was checked is what is connected to. Not for other
// schemes, and not for names with letters outside ASCII, which have to be written in their `xn--` form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "../runtime/error.hpp"

namespace hawser {

struct http_url {
  bool tls = false;
  std::string host;        ///< lower case, without brackets and trailing dot
  std::uint16_t port = 0;  ///< never 0 after parse()
  std::string target;      ///< path and query as they go on the request line; no fragment

  /// errc::config names the URL, without what may be a secret in it, and what is wrong with it. Refused are userinfo,
  /// and hosts that some resolvers take for an address although they are no strict dotted quad: `0x7f.1`, `2130706433`.
  static result<http_url> parse(std::string_view text);
  /// What a redirect or a link on this page leads to (RFC 3986).
  [[nodiscard]] result<http_url> resolve(std::string_view reference) const;

  [[nodiscard]] std::string authority() const;  ///< for `Host`: the port only if it is not the scheme's own
  [[nodiscard]] std::string origin() const;     ///< `https://host[:port]`
  [[nodiscard]] std::string text() const;

  friend bool operator==(const http_url&, const http_url&) = default;
};

/// Names a text that is perhaps no URL in an error: quoted, without userinfo and query, which may be secrets, and
/// without what would spoil a terminal.
std::string url_for_error(std::string_view text);

bool same_origin(const http_url& a, const http_url& b) noexcept;

}  // namespace hawser

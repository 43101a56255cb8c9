// SPDX-License-Identifier: MIT
// An absolute http or https URL, parsed once and by one parser, so that what was checked is what is connected to. Not
// for other schemes, nor for internationalised host names, which must be written in their `xn--` form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "../../runtime/error.hpp"

namespace hawser {

struct http_url {
  bool tls = false;
  std::string host;        ///< lower case, without brackets and trailing dot
  std::uint16_t port = 0;  ///< never 0 after parse()
  std::string target;      ///< path and query as sent on the request line; no fragment

  /// errc::config names the URL, without parts that may be secret, and what is wrong with it. Refused are userinfo, and
  /// hosts that some resolvers take for an address although they are not strict dotted quads: `0x7f.1`, `2130706433`.
  static result<http_url> parse(std::string_view text);
  /// Resolves a redirect target or a link relative to this URL (RFC 3986).
  [[nodiscard]] result<http_url> resolve(std::string_view reference) const;

  [[nodiscard]] std::string authority() const;  ///< for `Host`: with the port only if it is not the scheme's default
  [[nodiscard]] std::string origin() const;     ///< `https://host[:port]`
  [[nodiscard]] std::string text() const;

  friend bool operator==(const http_url&, const http_url&) = default;
};

/// Quotes a text that may not be a URL for an error message: without userinfo and query, which may be secrets, and
/// without characters that could disturb a terminal.
std::string url_for_error(std::string_view text);

bool same_origin(const http_url& a, const http_url& b) noexcept;

}  // namespace hawser

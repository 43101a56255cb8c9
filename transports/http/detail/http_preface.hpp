// SPDX-License-Identifier: MIT
// Recognises what the remote side speaks if it is not HTTP/1, for a readable error message.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace hawser::detail {

inline constexpr std::size_t max_preface = 8;  // so many bytes of it are shown; more might be those of a secret

inline bool begins_as_tls(std::string_view bytes) noexcept {  // a handshake or alert record
  return bytes.size() >= 2 && (bytes[0] == 0x16 || bytes[0] == 0x15) && bytes[1] == 0x03;
}

inline bool begins_as_http2(std::string_view bytes) noexcept {  // the client's preface, or a server's SETTINGS frame
  return bytes.starts_with("PRI * ") || (bytes.size() >= 4 && bytes[0] == 0 && bytes[1] == 0 && bytes[3] == 4);
}

inline bool begins_as_another_protocol(std::string_view bytes) noexcept {
  return begins_as_tls(bytes) || begins_as_http2(bytes);
}

/// Completes a sentence that begins with "the answer" or "the request".
inline std::string not_http(std::string_view bytes) {
  const std::string what = " does not begin as one of HTTP/1.1 does";
  if (begins_as_tls(bytes)) return what + ": the other side speaks TLS here";
  if (begins_as_http2(bytes)) return what + ": the other side speaks HTTP/2 here";
  std::string seen{bytes.substr(0, max_preface)};
  std::replace_if(seen.begin(), seen.end(), [](char c) { return c < 0x20 || c > 0x7E; }, '.');
  return what + ", but with \"" + seen + '"';
}

}  // namespace hawser::detail

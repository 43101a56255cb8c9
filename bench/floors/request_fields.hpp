// SPDX-License-Identifier: MIT
// Extracts id and method from a request for the neutral servers, independent of the client: members may be in any
// order and have a space after the colon. Not a parser: it assumes that no argument is named "id" or "method".
#pragma once

#include <string_view>

namespace hawser::bench {

/// The text from the member's value on; empty if there is none. Searches from the end.
inline std::string_view value_of(std::string_view request, std::string_view quoted_name) {
  const std::size_t at = request.rfind(quoted_name);
  if (at == request.npos) return {};
  const std::size_t begin = request.find_first_not_of(": ", at + quoted_name.size());
  return begin == request.npos ? std::string_view{} : request.substr(begin);
}

/// As written: a number, or a string with its quotes.
inline std::string_view id_of(std::string_view request) {
  const std::string_view value = value_of(request, R"("id")");
  return value.substr(0, value.find_first_of(",}"));
}

/// The text from the method name on. Most requests begin as Hawser's do; for those no search is needed.
inline std::string_view method_of(std::string_view request) {
  constexpr std::string_view usual = R"({"jsonrpc":"2.0","method":")";
  if (request.starts_with(usual)) return request.substr(usual.size());
  const std::string_view value = value_of(request, R"("method")");
  return value.empty() ? value : value.substr(1);
}

}  // namespace hawser::bench

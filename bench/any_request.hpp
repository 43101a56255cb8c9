// SPDX-License-Identifier: MIT
// What the neutral servers have to know of a request, whoever wrote it: members may come in any order and with a blank
// after the colon. Not a parser: it trusts that no argument is called "id" or "method".
#pragma once

#include <string_view>

namespace hawser::bench {

/// From the first character of the member's value on; empty if there is none. It is looked for from the end.
inline std::string_view value_of(std::string_view request, std::string_view quoted_name) {
  const std::size_t at = request.rfind(quoted_name);
  if (at == request.npos) return {};
  const std::size_t begin = request.find_first_not_of(": ", at + quoted_name.size());
  return begin == request.npos ? std::string_view{} : request.substr(begin);
}

/// As it stands there, a number or a string in its quotes.
inline std::string_view id_of(std::string_view request) {
  const std::string_view value = value_of(request, R"("id")");
  return value.substr(0, value.find_first_of(",}"));
}

/// Begins with the method's name. Most begin as Hawser's do, and then nothing is looked for.
inline std::string_view method_of(std::string_view request) {
  constexpr std::string_view usual = R"({"jsonrpc":"2.0","method":")";
  if (request.starts_with(usual)) return request.substr(usual.size());
  const std::string_view value = value_of(request, R"("method")");
  return value.empty() ? value : value.substr(1);
}

}  // namespace hawser::bench

// SPDX-License-Identifier: MIT
// A login without its secrets, for display.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "login.hpp"

namespace hawser {

struct login_summary {
  std::string server{};  ///< its URL, without the query
  std::string issuer{};
  std::string resource{};  ///< without the query
  std::string client{};
  std::string scope{};
  std::int64_t expires_at = 0;  ///< of the access token; 0 = unknown
  bool renewable = false;       ///< it can be refreshed without user interaction
  bool stored = true;           ///< saved in the store; otherwise it ends with this process
};

login_summary summarize(std::string_view server_url, const login& source);

}  // namespace hawser

// SPDX-License-Identifier: MIT
// The TLS sessions of a client context that later connections may resume; for the sources of this folder only.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "openssl.hpp"

namespace hawser::detail {

/// Sessions for later connections to the same host and port. Each is used once, as TLS 1.3 asks for.
class tls_session_cache {
 public:
  void put(std::string_view session_key, ssl_session_ptr session);
  /// The newest one; null if there is none.
  ssl_session_ptr take(std::string_view session_key);

 private:
  struct entry {
    std::string session_key;
    ssl_session_ptr session;
  };
  std::deque<entry> entries_;  // newest last; few enough for a linear search
};

}  // namespace hawser::detail

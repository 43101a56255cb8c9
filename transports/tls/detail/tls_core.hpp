// SPDX-License-Identifier: MIT
// The content of a tls_context, with OpenSSL's types; for the sources of this folder only.
#pragma once

#include <cstdint>

#include "openssl.hpp"
#include "tls_session_cache.hpp"

namespace hawser::detail {

struct tls_core {
  enum class side : std::uint8_t { client, server };
  side role;
  ssl_context_ptr context;
  bio_method_ptr wire_method;
  tls_session_cache sessions{};
  std::uint64_t handshakes = 0;
  std::uint64_t resumed = 0;
};

}  // namespace hawser::detail

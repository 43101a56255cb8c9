// SPDX-License-Identifier: MIT
#include "detail/openssl.hpp"

#include <openssl/err.h>

#include <cstring>

namespace hawser::detail {

std::string openssl_reason() {
  const unsigned long code = ERR_peek_error();  // the first is closest to the cause
  ERR_clear_error();
  if (ERR_SYSTEM_ERROR(code)) return std::strerror(ERR_GET_REASON(code));
  if (const char* reason = ERR_reason_error_string(code); reason != nullptr) return reason;
  return code == 0 ? "no reason given" : "OpenSSL's error " + std::to_string(code);
}

}  // namespace hawser::detail

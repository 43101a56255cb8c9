// SPDX-License-Identifier: MIT
// Connects OpenSSL with a stream; for the sources of this folder only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "../../../runtime/io/stream.hpp"
#include "openssl.hpp"
#include "tls_core.hpp"

namespace hawser::detail {

/// The source and destination of OpenSSL's bytes. OpenSSL's own memory BIO would copy them once more and keep its
/// memory.
struct tls_wire {
  stream socket;
  tls_core& core;
  std::string out{};              // encrypted, to leave in one piece
  std::string session_key{};      // for the sessions
  std::string bad_certificate{};  // which one could not be verified
  // Handshake messages that came after the handshake, and bytes of the application. A key update is 27 bytes and costs
  // as much as many records, so few are accepted for the bytes that they protect.
  std::size_t late_handshakes = 0;
  std::uint64_t received = 0;
  [[nodiscard]] bool has_too_many_handshakes() const noexcept {
    return late_handshakes > 100 + received / (std::uint64_t{64} * 1024);
  }
};

/// The BIO method for a tls_wire, which is the data of the BIO.
bio_method_ptr make_wire_method();

/// OpenSSL callbacks; the tls_wire is the app data of the SSL object.
int record_bad_certificate(int verified, X509_STORE_CTX* chain) noexcept;
int store_session(SSL* ssl, SSL_SESSION* session) noexcept;

/// The reason of a failed handshake, with details of the certificate.
error handshake_error(SSL* ssl, const tls_wire& wire, std::string_view subject);

}  // namespace hawser::detail

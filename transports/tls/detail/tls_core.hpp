// SPDX-License-Identifier: MIT
// What the TLS sources share, with OpenSSL's types; for transports/tls_*.cpp only.
#pragma once

#include <openssl/bio.h>
#include <openssl/ssl.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "../../../runtime/io/stream.hpp"

namespace hawser::detail {

template <auto Free>
struct openssl_deleter {
  template <class T>
  void operator()(T* what) const noexcept {
    Free(what);
  }
};
using ssl_context_ptr = std::unique_ptr<SSL_CTX, openssl_deleter<SSL_CTX_free>>;
using ssl_ptr = std::unique_ptr<SSL, openssl_deleter<SSL_free>>;
using ssl_session_ptr = std::unique_ptr<SSL_SESSION, openssl_deleter<SSL_SESSION_free>>;
using bio_ptr = std::unique_ptr<BIO, openssl_deleter<BIO_free>>;
using bio_method_ptr = std::unique_ptr<BIO_METHOD, openssl_deleter<BIO_meth_free>>;

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

struct tls_core {
  enum class side : std::uint8_t { client, server };
  side role;
  ssl_context_ptr context;
  bio_method_ptr wire_method;
  tls_session_cache sessions{};
  std::uint64_t handshakes = 0;
  std::uint64_t resumed = 0;
};

/// The source and destination of OpenSSL's bytes. OpenSSL's own memory BIO would copy them once more and keep its
/// memory.
struct tls_wire {
  stream over;
  tls_core& of;
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
int store_session(SSL* of, SSL_SESSION* session) noexcept;

/// The reason of OpenSSL's last failure; clears its error queue. Never empty.
std::string openssl_reason();
/// The same with details of the certificate, after a failed handshake.
error handshake_error(SSL* of, const tls_wire& wire, std::string_view subject);

}  // namespace hawser::detail

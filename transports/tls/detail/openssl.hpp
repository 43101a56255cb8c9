// SPDX-License-Identifier: MIT
// Owners of OpenSSL's objects, and its error messages; for the sources of this folder only.
#pragma once

#include <openssl/bio.h>
#include <openssl/ssl.h>

#include <memory>
#include <string>

namespace hawser::detail {

template <auto Free>
struct openssl_deleter {
  template <class T>
  void operator()(T* object) const noexcept {
    Free(object);
  }
};
using ssl_context_ptr = std::unique_ptr<SSL_CTX, openssl_deleter<SSL_CTX_free>>;
using ssl_ptr = std::unique_ptr<SSL, openssl_deleter<SSL_free>>;
using ssl_session_ptr = std::unique_ptr<SSL_SESSION, openssl_deleter<SSL_SESSION_free>>;
using bio_ptr = std::unique_ptr<BIO, openssl_deleter<BIO_free>>;
using bio_method_ptr = std::unique_ptr<BIO_METHOD, openssl_deleter<BIO_meth_free>>;

/// The reason of OpenSSL's last failure; clears its error queue. Never empty.
std::string openssl_reason();

}  // namespace hawser::detail

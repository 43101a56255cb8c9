// SPDX-License-Identifier: MIT
#include "detail/tls_wire.hpp"

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cstring>

#include "../../runtime/detail/check.hpp"

namespace hawser::detail {

namespace {

// Limit for a certificate's name in a one-sentence error; the name is untrusted.
constexpr std::size_t quoted_name = 200;

tls_wire& wire_of(BIO* bio) noexcept { return *static_cast<tls_wire*>(BIO_get_data(bio)); }

int read_wire(BIO* bio, char* buffer, int size) noexcept {
  BIO_clear_retry_flags(bio);
  stream& socket = wire_of(bio).socket;
  const std::string_view unread = socket.unread();
  if (wire_of(bio).has_too_many_handshakes()) return -1;
  if (unread.empty()) {
    BIO_set_retry_read(bio);
    return -1;
  }
  const std::size_t count = std::min(unread.size(), static_cast<std::size_t>(size));
  std::memcpy(buffer, unread.data(), count);
  socket.consume(count);
  return static_cast<int>(count);
}

int write_wire(BIO* bio, const char* bytes, int size) noexcept {
  wire_of(bio).out.append(bytes, static_cast<std::size_t>(size));
  return size;
}

long control_wire(BIO* /*bio*/, int command, long /*number*/, void* /*pointer*/) noexcept {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

// Printable in any terminal: control characters and non-ASCII are escaped.
std::string printable_name(const X509_NAME* name) {
  const bio_ptr memory{BIO_new(BIO_s_mem())};
  if (!memory || X509_NAME_print_ex(memory.get(), name, 0, XN_FLAG_RFC2253) < 0) return "?";
  char* text = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &text);
  std::string shown{text, std::min(static_cast<std::size_t>(std::max(size, 0L)), quoted_name)};
  if (static_cast<std::size_t>(size) > quoted_name) shown += "...";
  return shown;
}

// Failures that can be fixed by naming the right authority.
bool is_unknown_authority(long verified) noexcept {
  switch (verified) {
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE: return true;
    default: return false;
  }
}

}  // namespace

bio_method_ptr make_wire_method() {
  bio_method_ptr method{BIO_meth_new(BIO_TYPE_SOURCE_SINK, "hawser wire")};
  require(method != nullptr, "OpenSSL has no memory for a BIO method");
  BIO_meth_set_read(method.get(), read_wire);
  BIO_meth_set_write(method.get(), write_wire);
  BIO_meth_set_ctrl(method.get(), control_wire);
  return method;
}

int record_bad_certificate(int verified, X509_STORE_CTX* chain) noexcept {
  if (verified == 1) return 1;
  auto* ssl = static_cast<SSL*>(X509_STORE_CTX_get_ex_data(chain, SSL_get_ex_data_X509_STORE_CTX_idx()));
  const X509* certificate = X509_STORE_CTX_get_current_cert(chain);
  if (ssl != nullptr && certificate != nullptr) {
    auto& wire = *static_cast<tls_wire*>(SSL_get_app_data(ssl));
    wire.bad_certificate = "certificate \"" + printable_name(X509_get_subject_name(certificate)) + "\", issued by \"" +
                           printable_name(X509_get_issuer_name(certificate)) + '"';
  }
  return 0;
}

int store_session(SSL* ssl, SSL_SESSION* session) noexcept {
  auto& wire = *static_cast<tls_wire*>(SSL_get_app_data(ssl));
  if (wire.session_key.empty() || SSL_SESSION_is_resumable(session) == 0) return 0;
  wire.core.sessions.put(wire.session_key, ssl_session_ptr{session});
  return 1;  // takes ownership
}

error handshake_error(SSL* ssl, const tls_wire& wire, std::string_view subject) {
  const int native = ERR_GET_REASON(ERR_peek_error());
  std::string why = openssl_reason();
  error e{.code = errc::protocol, .what = std::string{subject} + ": ", .native = native};
  const long verified = SSL_get_verify_result(ssl);
  if (verified != X509_V_OK && native == SSL_R_CERTIFICATE_VERIFY_FAILED) {
    e.native = static_cast<int>(verified);
    e.what += X509_verify_cert_error_string(verified);
    if (!wire.bad_certificate.empty()) e.what += " (" + wire.bad_certificate + ")";
    if (is_unknown_authority(verified))
      e.what += "; to trust it, name a file with its certificate, or with that of its authority, as tls.ca";
    return e;
  }
  e.what += "the handshake failed: " + why;
  if (native == SSL_R_WRONG_VERSION_NUMBER) e.what += " (is it TLS at all?)";
  return e;
}

}  // namespace hawser::detail

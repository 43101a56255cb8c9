// SPDX-License-Identifier: MIT
// The BIO between OpenSSL and a stream, the cache of TLS sessions, and the error messages of handshakes.
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cstring>

#include "../../runtime/detail/check.hpp"
#include "detail/tls_core.hpp"

namespace hawser::detail {

namespace {

// A few hosts, and a few connections to each: a session holds the server's certificates and so takes some kilobytes.
constexpr std::size_t max_sessions = 64;
constexpr std::size_t max_sessions_per_key = 4;
// Limit for a certificate's name in a one-sentence error; the name is untrusted.
constexpr std::size_t quoted_name = 200;

tls_wire& wire_of(BIO* bio) noexcept { return *static_cast<tls_wire*>(BIO_get_data(bio)); }

int read_wire(BIO* bio, char* to, int size) noexcept {
  BIO_clear_retry_flags(bio);
  stream& over = wire_of(bio).over;
  const std::string_view there = over.unread();
  if (wire_of(bio).has_too_many_handshakes()) return -1;
  if (there.empty()) {
    BIO_set_retry_read(bio);
    return -1;
  }
  const std::size_t count = std::min(there.size(), static_cast<std::size_t>(size));
  std::memcpy(to, there.data(), count);
  over.consume(count);
  return static_cast<int>(count);
}

int write_wire(BIO* bio, const char* from, int size) noexcept {
  wire_of(bio).out.append(from, static_cast<std::size_t>(size));
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

}  // namespace

void tls_session_cache::put(std::string_view session_key, ssl_session_ptr session) {
  const auto here = [session_key](const entry& e) { return e.session_key == session_key; };
  if (std::count_if(entries_.begin(), entries_.end(), here) >= static_cast<std::ptrdiff_t>(max_sessions_per_key)) {
    entries_.erase(std::find_if(entries_.begin(), entries_.end(), here));
  } else if (entries_.size() >= max_sessions) {
    entries_.pop_front();
  }
  entries_.push_back({std::string{session_key}, std::move(session)});
}

ssl_session_ptr tls_session_cache::take(std::string_view session_key) {
  // OpenSSL invalidates a session whose connection has failed.
  std::erase_if(entries_, [](const entry& e) { return SSL_SESSION_is_resumable(e.session.get()) == 0; });
  const auto newest = std::find_if(entries_.rbegin(), entries_.rend(),
                                   [session_key](const entry& e) { return e.session_key == session_key; });
  if (newest == entries_.rend()) return nullptr;
  ssl_session_ptr session = std::move(newest->session);
  entries_.erase(std::next(newest).base());
  return session;
}

bio_method_ptr make_wire_method() {
  bio_method_ptr method{BIO_meth_new(BIO_TYPE_SOURCE_SINK, "hawser wire")};
  require(method != nullptr, "OpenSSL has no memory for a BIO method");
  BIO_meth_set_read(method.get(), read_wire);
  BIO_meth_set_write(method.get(), write_wire);
  BIO_meth_set_ctrl(method.get(), control_wire);
  return method;
}

namespace {

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

int store_session(SSL* of, SSL_SESSION* session) noexcept {
  auto& wire = *static_cast<tls_wire*>(SSL_get_app_data(of));
  if (wire.session_key.empty() || SSL_SESSION_is_resumable(session) == 0) return 0;
  wire.of.sessions.put(wire.session_key, ssl_session_ptr{session});
  return 1;  // takes ownership
}

std::string openssl_reason() {
  const unsigned long code = ERR_peek_error();  // the first is closest to the cause
  ERR_clear_error();
  if (ERR_SYSTEM_ERROR(code)) return std::strerror(ERR_GET_REASON(code));
  if (const char* reason = ERR_reason_error_string(code); reason != nullptr) return reason;
  return code == 0 ? "no reason given" : "OpenSSL's error " + std::to_string(code);
}

error handshake_error(SSL* of, const tls_wire& wire, std::string_view subject) {
  const int native = ERR_GET_REASON(ERR_peek_error());
  std::string why = openssl_reason();
  error e{.code = errc::protocol, .what = std::string{subject} + ": ", .native = native};
  const long verified = SSL_get_verify_result(of);
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

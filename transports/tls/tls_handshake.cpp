// SPDX-License-Identifier: MIT
#include "tls_handshake.hpp"

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <utility>

#include "../../runtime/detail/check.hpp"
#include "../../runtime/io/address.hpp"
#include "detail/tls_stream.hpp"

namespace hawser {

namespace detail {

result<void> tls_stream::expect_host(const std::string& host, std::uint16_t port) {
  error unusable{.code = errc::config, .what = subject_ + ": not a host that a certificate can be for"};
  // OpenSSL would accept any host for an empty name.
  if (host.empty() || host.find('\0') != std::string::npos) return unusable;
  X509_VERIFY_PARAM* rules = SSL_get0_param(ssl_.get());
  // The subject's common name is no longer used as a host name (RFC 9110, section 4.3.4).
  X509_VERIFY_PARAM_set_hostflags(rules, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  if (const auto address = ip_address::parse(host)) {
    const std::size_t size = address->kind() == ip_address::family::v4 ? 4 : 16;
    if (X509_VERIFY_PARAM_set1_ip(rules, address->bytes().data(), size) != 1) return unusable;
  } else {
    if (X509_VERIFY_PARAM_set1_host(rules, host.data(), host.size()) != 1) return unusable;
    // Without OpenSSL's macro for it, whose cast g++ would warn about here.
    if (SSL_ctrl(ssl_.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                 const_cast<char*>(host.c_str())) != 1)
      return unusable;
  }
  wire_.session_key = host + ' ' + std::to_string(port);
  if (const auto session = wire_.of.sessions.take(wire_.session_key)) SSL_set_session(ssl_.get(), session.get());
  return {};
}

result<bool> tls_stream::handshake_step() {
  ERR_clear_error();
  const int done = SSL_do_handshake(ssl_.get());
  const int why = done == 1 ? SSL_ERROR_NONE : SSL_get_error(ssl_.get(), done);
  if (why == SSL_ERROR_WANT_READ) {
    send_out();
    return false;
  }
  if (done == 1) {
    send_out();
    return true;
  }
  error failed = handshake_error(ssl_.get(), wire_, subject_);
  send_out();  // the alert that names the reason
  return failed;
}

result<void> tls_stream::check_negotiated() {
  SSL* ssl = ssl_.get();
  if (wire_.of.role == tls_core::side::client) {
    // OpenSSL has already failed the handshake otherwise; checked again, because this must not depend on any setting.
    if (const long verified = SSL_get_verify_result(ssl); verified != X509_V_OK)
      return error{.code = errc::protocol, .what = subject_ + ": " + X509_verify_cert_error_string(verified)};
    const unsigned char* chosen = nullptr;
    unsigned int length = 0;
    SSL_get0_alpn_selected(ssl, &chosen, &length);
    const std::string_view protocol{reinterpret_cast<const char*>(chosen), length};
    if (!protocol.empty() && protocol != "http/1.1")
      return error{.code = errc::protocol, .what = subject_ + ": the server chose a protocol that was not offered"};
  }
  ++wire_.of.handshakes;
  if (SSL_session_reused(ssl) == 1) ++wire_.of.resumed;
  return {};
}

task<result<void>> tls_stream::handshake() {
  while (true) {
    auto stepped = handshake_step();
    if (!stepped) co_return stepped.error();
    if (*stepped) co_return check_negotiated();
    auto more = co_await wire_.over.read_some();
    if (more) continue;
    error why = more.error();
    if (why.code == errc::cancelled) co_return why;
    co_return prefixed(subject_ + ": the connection ended during the handshake", std::move(why));
  }
}

}  // namespace detail

namespace {

using detail::tls_core;
using detail::tls_stream;

task<result<std::unique_ptr<byte_stream>>> complete_handshake(std::unique_ptr<tls_stream> made) {
  auto agreed = co_await made->handshake();
  if (!agreed) co_return agreed.error();
  co_return std::unique_ptr<byte_stream>{std::move(made)};
}

}  // namespace

task<result<std::unique_ptr<byte_stream>>> tls_connect(stream over, std::shared_ptr<tls_context> with, std::string host,
                                                       std::uint16_t port) {
  detail::require(with->core().role == tls_core::side::client, "a server's TLS context was used to connect");
  auto made = std::make_unique<tls_stream>(std::move(over), std::move(with), "tls to \"" + host + '"');
  if (auto prepared = made->expect_host(host, port); !prepared) co_return prepared.error();
  co_return co_await complete_handshake(std::move(made));
}

task<result<std::unique_ptr<byte_stream>>> tls_accept(stream over, std::shared_ptr<tls_context> with) {
  detail::require(with->core().role == tls_core::side::server, "a client's TLS context was used to accept");
  auto made = std::make_unique<tls_stream>(std::move(over), std::move(with), "tls from a client");
  co_return co_await complete_handshake(std::move(made));
}

}  // namespace hawser

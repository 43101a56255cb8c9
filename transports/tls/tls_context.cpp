// SPDX-License-Identifier: MIT
#include "tls_context.hpp"

#include <openssl/err.h>
#include <openssl/x509.h>

#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "../../runtime/detail/check.hpp"
#include "detail/tls_core.hpp"
#include "detail/tls_wire.hpp"

namespace hawser {

namespace {

using detail::ssl_context_ptr;
using detail::tls_core;

// In wire format: a length before each name.
constexpr std::array<unsigned char, 9> only_http{8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

// Usual places of the system's authorities, for an OpenSSL that was built with other defaults.
constexpr std::array<const char*, 5> known_bundles{
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem"};

error config_error(std::string what) { return error{.code = errc::config, .what = std::move(what)}; }

error about(std::string_view role, const std::string& file) {
  return config_error("tls: " + std::string{role} + " \"" + file + "\": " + detail::openssl_reason());
}

bool readable(const std::string& path) {
  std::error_code failed;
  return std::filesystem::exists(path, failed);
}

// A passphrase cannot be asked for: there may be no terminal, and the loop would block.
int no_passphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*pointer*/) noexcept { return -1; }

int choose_http(SSL* /*ssl*/, const unsigned char** chosen, unsigned char* length, const unsigned char* offered,
                unsigned int offered_length, void* /*pointer*/) noexcept {
  unsigned char* name = nullptr;
  if (SSL_select_next_proto(&name, length, only_http.data(), only_http.size(), offered, offered_length) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *chosen = name;
  return SSL_TLSEXT_ERR_OK;
}

std::unique_ptr<tls_core> new_core(tls_core::side role) {
  auto core = std::make_unique<tls_core>(tls_core{
      .role = role, .context = ssl_context_ptr{SSL_CTX_new(TLS_method())}, .wire_method = detail::make_wire_method()});
  SSL_CTX* context = core->context.get();
  detail::require(context != nullptr, "OpenSSL has no memory for a context");
  // OpenSSL's defaults may have been changed by a system configuration file, so none of them is relied upon.
  detail::require(SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1, "OpenSSL does not know TLS 1.2");
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_default_passwd_cb(context, no_passphrase);
  return core;
}

result<void> load_folder(SSL_CTX* context, const std::string& folder) {
  std::error_code failed;
  if (!std::filesystem::is_directory(folder, failed)) return config_error("tls: no folder \"" + folder + '"');
  if (SSL_CTX_load_verify_dir(context, folder.c_str()) != 1) return about("folder of authorities", folder);
  return {};
}

result<void> load_file(SSL_CTX* context, const std::string& file) {
  ERR_clear_error();
  if (SSL_CTX_load_verify_file(context, file.c_str()) != 1) return about("file of authorities", file);
  return {};
}

// From a folder with hashed names, certificates are loaded one at a time, on demand.
bool has_hashed_names(const std::string& folder) {
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator{folder, failed}) {
    const std::string name = entry.path().filename();
    if (name.size() == 10 && name.ends_with(".0")) return true;
  }
  return false;
}

result<void> load_system_trust(SSL_CTX* context) {
  const std::string folder = X509_get_default_cert_dir();
  if (has_hashed_names(folder)) return load_folder(context, folder);
  const std::string file = X509_get_default_cert_file();
  if (readable(file)) return load_file(context, file);
  for (const char* bundle : known_bundles) {
    if (readable(bundle)) return load_file(context, bundle);
  }
  return config_error("tls: the system has no certificates of authorities to trust: neither \"" + folder + "\" nor \"" +
                      file + "\" nor any other usual place has them; SSL_CERT_FILE may name a file");
}

result<void> load_trust(SSL_CTX* context, const tls_settings& settings) {
  if (settings.trust_file.empty() && settings.trust_folder.empty()) {
    auto of_system = load_system_trust(context);
    // If authorities are configured, those of the system are not needed.
    if (!of_system && settings.ca_file.empty()) return of_system;
  }
  if (!settings.trust_file.empty()) {
    if (auto loaded = load_file(context, settings.trust_file); !loaded) return loaded;
  }
  if (!settings.trust_folder.empty()) {
    if (auto loaded = load_folder(context, settings.trust_folder); !loaded) return loaded;
  }
  if (!settings.ca_file.empty()) return load_file(context, settings.ca_file);
  return {};
}

result<void> load_identity(SSL_CTX* context, const std::string& certificate, const std::string& key_file) {
  const std::string& key = key_file.empty() ? certificate : key_file;
  ERR_clear_error();
  if (SSL_CTX_use_certificate_chain_file(context, certificate.c_str()) != 1) return about("certificate", certificate);
  if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1) return about("key", key);
  if (SSL_CTX_check_private_key(context) != 1) return about("key", key);
  return {};
}

}  // namespace

result<std::shared_ptr<tls_context>> tls_context::client(const tls_settings& settings) {
  auto core = new_core(tls_core::side::client);
  SSL_CTX* context = core->context.get();
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, detail::record_bad_certificate);
  // A configured authority is trusted even if it is not a root: of a company's CA often only the intermediate is known.
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), X509_V_FLAG_PARTIAL_CHAIN);
  SSL_CTX_set_alpn_protos(context, only_http.data(), only_http.size());
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context, detail::store_session);
  if (auto loaded = load_trust(context, settings); !loaded) return loaded.error();
  if (!settings.certificate_file.empty()) {
    if (auto loaded = load_identity(context, settings.certificate_file, settings.key_file); !loaded)
      return loaded.error();
  } else if (!settings.key_file.empty()) {
    return config_error("tls: key \"" + settings.key_file + "\" without a certificate");
  }
  return std::make_shared<tls_context>(std::move(core));
}

result<std::shared_ptr<tls_context>> tls_context::server(const tls_server_settings& settings) {
  auto core = new_core(tls_core::side::server);
  SSL_CTX* context = core->context.get();
  SSL_CTX_set_alpn_select_cb(context, choose_http, nullptr);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);  // with tickets, the clients keep the sessions
  constexpr std::array<unsigned char, 6> name{'h', 'a', 'w', 's', 'e', 'r'};
  SSL_CTX_set_session_id_context(context, name.data(), name.size());
  if (auto loaded = load_identity(context, settings.certificate_file, settings.key_file); !loaded)
    return loaded.error();
  if (!settings.client_ca.empty()) {
    if (auto loaded = load_file(context, settings.client_ca); !loaded) return loaded.error();
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, detail::record_bad_certificate);
  }
  return std::make_shared<tls_context>(std::move(core));
}

tls_context::tls_context(std::unique_ptr<detail::tls_core> core) noexcept : core_(std::move(core)) {}
tls_context::~tls_context() = default;

tls_context::counts tls_context::counters() const noexcept {
  return {.handshakes = core_->handshakes, .resumed = core_->resumed};
}

}  // namespace hawser

// SPDX-License-Identifier: MIT
// State that TLS connections share: trusted authorities, our own certificate, and sessions to resume. Chain and host
// name are always verified; there is no option to disable this. OpenSSL's types stay in the sources.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>

#include "../../runtime/error.hpp"

namespace hawser {

namespace detail {
struct tls_core;
}

/// Paths of PEM files. The library does not read the environment: a program that honours SSL_CERT_FILE and SSL_CERT_DIR
/// sets them here.
struct tls_settings {
  std::string trust_file{};        ///< authorities instead of the system's, as in SSL_CERT_FILE
  std::string trust_folder{};      ///< the same, one file each with hashed names, as in SSL_CERT_DIR
  std::string ca_file{};           ///< additional authorities
  std::string certificate_file{};  ///< client certificate: the leaf first, then its chain
  std::string key_file{};          ///< without a passphrase; empty = the key is in certificate_file

  friend auto operator<=>(const tls_settings&, const tls_settings&) = default;
};

struct tls_server_settings {
  std::string certificate_file;
  std::string key_file{};   ///< empty = the key is in certificate_file
  std::string client_ca{};  ///< clients must present a certificate of these authorities; empty = they need not
};

/// Immutable except for the sessions it caches. For the connections of one loop.
class tls_context {
 public:
  /// errc::config names the file that is missing, unreadable or invalid. It is also an error if there is no authority
  /// to trust: nothing is ever trusted unverified.
  static result<std::shared_ptr<tls_context>> client(const tls_settings& settings);
  static result<std::shared_ptr<tls_context>> server(const tls_server_settings& settings);

  explicit tls_context(std::unique_ptr<detail::tls_core> core) noexcept;
  tls_context(const tls_context&) = delete;
  tls_context& operator=(const tls_context&) = delete;
  ~tls_context();

  struct counts {
    std::uint64_t handshakes = 0;  ///< successful ones, …
    std::uint64_t resumed = 0;     ///< … of which resumed a session, without certificates
  };
  [[nodiscard]] counts counters() const noexcept;

  [[nodiscard]] detail::tls_core& core() noexcept { return *core_; }

 private:
  std::unique_ptr<detail::tls_core> core_;
};

}  // namespace hawser

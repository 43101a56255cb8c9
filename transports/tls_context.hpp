// SPDX-License-Identifier: MIT
// What TLS connections share: whom to trust, who we are, and the sessions to resume. Chain and host name are always
// verified; there is no switch for that. OpenSSL's types stay in the sources.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>

#include "../runtime/error.hpp"

namespace hawser {

namespace detail {
struct tls_core;
}

/// Paths of PEM files. The library does not look at the environment: whoever honours SSL_CERT_FILE and SSL_CERT_DIR
/// puts them here.
struct tls_settings {
  std::string trust_file{};        ///< authorities instead of the system's: what SSL_CERT_FILE says
  std::string trust_folder{};      ///< the same, one file each by hashed names: what SSL_CERT_DIR says
  std::string ca_file{};           ///< authorities besides those
  std::string certificate_file{};  ///< for servers that ask who we are: the leaf first, then its chain
  std::string key_file{};          ///< without a passphrase; empty = it stands in certificate_file

  friend auto operator<=>(const tls_settings&, const tls_settings&) = default;
};

struct tls_server_settings {
  std::string certificate_file;
  std::string key_file{};   ///< empty = it stands in certificate_file
  std::string client_ca{};  ///< clients must show a certificate of these authorities; empty = they need not
};

/// Immutable but for the sessions it remembers. For the connections of one loop.
class tls_context {
 public:
  /// errc::config names the file that is missing, unreadable or wrong. Without any authority to trust it is an error,
  /// too: nothing is ever trusted unseen.
  static result<std::shared_ptr<tls_context>> client(const tls_settings& settings);
  static result<std::shared_ptr<tls_context>> server(const tls_server_settings& settings);

  explicit tls_context(std::unique_ptr<detail::tls_core> core) noexcept;
  tls_context(const tls_context&) = delete;
  tls_context& operator=(const tls_context&) = delete;
  ~tls_context();

  struct counts {
    std::uint64_t handshakes = 0;  ///< that succeeded, …
    std::uint64_t resumed = 0;     ///< … of them by a session from before, without certificates
  };
  [[nodiscard]] counts so_far() const noexcept;

  [[nodiscard]] detail::tls_core& core() noexcept { return *core_; }

 private:
  std::unique_ptr<detail::tls_core> core_;
};

}  // namespace hawser

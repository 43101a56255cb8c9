// SPDX-License-Identifier: MIT
// Stores logins and client registrations: the interface, so that an embedder (keychain) or a test can replace it.
// file_credential_store and memory_credential_store implement it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../runtime/async/task.hpp"
#include "../../runtime/error.hpp"
#include "../../runtime/loop/clock.hpp"
#include "../login.hpp"

namespace hawser {

class credential_store {
 public:
  /// The exclusive right to refresh one login, among all threads and processes; released on destruction.
  class refresh_lock {
   public:
    refresh_lock() = default;
    /// `held` releases the right when destroyed.
    explicit refresh_lock(std::shared_ptr<void> held) : held_(std::move(held)) {}
    void release() noexcept { held_.reset(); }

   private:
    std::shared_ptr<void> held_;
  };

  credential_store() = default;
  credential_store(const credential_store&) = delete;
  credential_store& operator=(const credential_store&) = delete;
  virtual ~credential_store() = default;

  /// The login last saved for that URL.
  virtual task<result<std::optional<login>>> find_for_server(std::string server_url) = 0;
  virtual task<result<std::optional<login>>> find(login_key key) = 0;
  /// Inserts or replaces by key, and binds the URL to the key. Not cancelled by a stop: an issued token cannot be
  /// requested again. On an error the login is kept in memory, and this store still finds it.
  virtual task<result<void>> save(std::string server_url, login entry) = 0;
  /// Compare and remove; false = not found, or it has another refresh token.
  virtual task<result<bool>> remove(login_key key, std::optional<secret> only_if_refresh_is) = 0;
  /// For logout: unbinds the URL from all logins saved for it. Removes and returns those that no other URL is bound to,
  /// so that they can be revoked.
  virtual task<result<std::vector<login>>> forget(std::string server_url) = 0;

  virtual task<result<std::optional<client_identity>>> find_client(std::string issuer) = 0;
  virtual task<result<void>> save_client(std::string issuer, client_identity client) = 0;
  /// Removes it only if it is that client; otherwise does nothing, without an error.
  virtual task<result<void>> remove_client(std::string issuer, std::string client_id) = 0;

  /// All URLs with their logins, by URL.
  virtual task<result<std::vector<std::pair<std::string, login>>>> all() = 0;

  /// Waits with a bound: errc::timed_out if another holder does not release it (STORE_BUSY).
  virtual task<result<refresh_lock>> acquire_refresh_lock(login_key key) = 0;

  /// The file, or another description for display; empty = logins end with this program.
  [[nodiscard]] virtual std::string location() const = 0;
};

/// How long to wait for another refresh of the same login, which takes at most two requests to the authorization
/// server.
inline constexpr duration refresh_lock_timeout = std::chrono::seconds{40};

}  // namespace hawser

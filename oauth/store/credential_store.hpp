// SPDX-License-Identifier: MIT
// Stores logins and client registrations: the interface, so that an embedder (keychain) or a test can replace it, and
// an in-memory implementation. The file-based one is file_credential_store.
#pragma once

#include <functional>
#include <map>
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
#include "credential_set.hpp"

namespace hawser {

class semaphore;

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
  virtual task<result<void>> save(std::string server_url, login what) = 0;
  /// Compare and remove; false = not found, or it has another refresh token.
  virtual task<result<bool>> remove(login_key key, std::optional<secret> only_if_refresh_is) = 0;
  /// For logout: unbinds the URL from all logins saved for it. Removes and returns those that no other URL is bound to,
  /// so that they can be revoked.
  virtual task<result<std::vector<login>>> forget(std::string server_url) = 0;

  virtual task<result<std::optional<client_identity>>> find_client(std::string issuer) = 0;
  virtual task<result<void>> save_client(std::string issuer, client_identity who) = 0;
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

class memory_credential_store final : public credential_store {
 public:
  memory_credential_store() = default;
  /// With initial contents.
  explicit memory_credential_store(credential_set known) : book_(std::move(known)) {}
  ~memory_credential_store() override;

  task<result<std::optional<login>>> find_for_server(std::string server_url) override;
  task<result<std::optional<login>>> find(login_key key) override;
  task<result<void>> save(std::string server_url, login what) override;
  task<result<bool>> remove(login_key key, std::optional<secret> only_if_refresh_is) override;
  task<result<std::vector<login>>> forget(std::string server_url) override;
  task<result<std::optional<client_identity>>> find_client(std::string issuer) override;
  task<result<void>> save_client(std::string issuer, client_identity who) override;
  task<result<void>> remove_client(std::string issuer, std::string client_id) override;
  task<result<std::vector<std::pair<std::string, login>>>> all() override;
  task<result<refresh_lock>> acquire_refresh_lock(login_key key) override;
  [[nodiscard]] std::string location() const override { return {}; }

  [[nodiscard]] credential_set& book() noexcept { return book_; }

 private:
  credential_set book_;
  std::map<login_key, std::shared_ptr<semaphore>> refresh_locks_;
};

/// $XDG_STATE_HOME/hawser/auth.json, or ~/.local/state/hawser/auth.json; empty if there is no home directory. Relative
/// paths are ignored.
std::string default_store_path(const std::function<std::optional<std::string>(std::string_view)>& variable);

}  // namespace hawser

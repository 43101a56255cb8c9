// SPDX-License-Identifier: MIT
// Where logins and registrations outlive a program: an interface, so that an embedder with a keychain, or a test, can
// put another in its place; and the one that keeps nothing. The one that keeps them in a file is file_token_store.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../runtime/clock.hpp"
#include "../runtime/error.hpp"
#include "../runtime/task.hpp"
#include "login.hpp"
#include "token_book.hpp"

namespace hawser {

class semaphore;

class token_store {
 public:
  /// The right to renew one credential, among all threads and processes, until it dies.
  class lead {
   public:
    lead() = default;
    /// Whatever it is that gives the right back when it dies.
    explicit lead(std::shared_ptr<void> held) : held_(std::move(held)) {}
    void give_back() noexcept { held_.reset(); }

   private:
    std::shared_ptr<void> held_;
  };

  token_store() = default;
  token_store(const token_store&) = delete;
  token_store& operator=(const token_store&) = delete;
  virtual ~token_store() = default;

  /// The login that was last saved for that URL.
  virtual task<result<std::optional<login>>> of_server(std::string server_url) = 0;
  virtual task<result<std::optional<login>>> find(login_key key) = 0;
  /// Inserts or replaces by key, and binds the URL to the key. No stop ends it: what a server gave once is not given
  /// again. On an error the login is kept in memory, and this store goes on finding it.
  virtual task<result<void>> save(std::string server_url, login what) = 0;
  /// Compares and removes; false = there was none, or it had another refresh token.
  virtual task<result<bool>> remove(login_key key, std::optional<secret> only_if_refresh_is) = 0;
  /// Logging out: the URL is unbound from every login that was saved for it, and those that no other URL is bound to
  /// are removed and returned, to be revoked.
  virtual task<result<std::vector<login>>> forget(std::string server_url) = 0;

  virtual task<result<std::optional<client_identity>>> client_of(std::string issuer) = 0;
  virtual task<result<void>> save_client(std::string issuer, client_identity who) = 0;
  /// Only if it still is that one; it is no error if it is not.
  virtual task<result<void>> forget_client(std::string issuer, std::string client_id) = 0;

  /// Every URL with its login, by URL.
  virtual task<result<std::vector<std::pair<std::string, login>>>> all() = 0;

  /// Waits, but not for ever: errc::timed_out says that somebody else holds it (STORE_BUSY).
  virtual task<result<lead>> take_lead(login_key key) = 0;

  /// The file, or whatever a person would call the place; empty = nothing outlives this program.
  [[nodiscard]] virtual std::string kept_at() const = 0;
};

/// How long one waits for somebody else who renews a login, which takes two requests to the authorization server at
/// most.
inline constexpr duration lead_patience = std::chrono::seconds{40};

class memory_token_store final : public token_store {
 public:
  memory_token_store() = default;
  /// With what is known already.
  explicit memory_token_store(token_book known) : book_(std::move(known)) {}
  ~memory_token_store() override;

  task<result<std::optional<login>>> of_server(std::string server_url) override;
  task<result<std::optional<login>>> find(login_key key) override;
  task<result<void>> save(std::string server_url, login what) override;
  task<result<bool>> remove(login_key key, std::optional<secret> only_if_refresh_is) override;
  task<result<std::vector<login>>> forget(std::string server_url) override;
  task<result<std::optional<client_identity>>> client_of(std::string issuer) override;
  task<result<void>> save_client(std::string issuer, client_identity who) override;
  task<result<void>> forget_client(std::string issuer, std::string client_id) override;
  task<result<std::vector<std::pair<std::string, login>>>> all() override;
  task<result<lead>> take_lead(login_key key) override;
  [[nodiscard]] std::string kept_at() const override { return {}; }

  [[nodiscard]] token_book& book() noexcept { return book_; }

 private:
  token_book book_;
  std::map<login_key, std::shared_ptr<semaphore>> leads_;
};

/// $XDG_STATE_HOME/hawser/auth.json, or the same in ~/.local/state; empty = there is no home. Paths that are not
/// absolute do not count.
std::string default_store_path(const std::function<std::optional<std::string>(std::string_view)>& variable);

}  // namespace hawser

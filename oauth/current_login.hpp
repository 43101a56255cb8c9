// SPDX-License-Identifier: MIT
// The login that a server's requests use now: read from the store, or just issued; and the header line made from it.
// It decides which stored logins may be used, and refreshes none.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "../runtime/scoped_redaction.hpp"
#include "../transports/streamable_http/authorizer.hpp"
#include "login_context.hpp"

namespace hawser {

class current_login {
 public:
  /// Where a login comes from. One that was issued just now is `fresh` for a while (authorizer.hpp).
  enum class origin : std::uint8_t { stored, issued };

  /// The parameters must outlive it. `on_new_token` is called whenever the access token becomes another one.
  current_login(const login_context& shared, const server_login_options& options, std::function<void()> on_new_token);

  /// Reads the store, the first time. A store that cannot be read is logged and has no login.
  task<result<void>> load();
  /// Reads the store again. Returns whether it has another login; that one is used from then on.
  task<result<bool>> reload();
  [[nodiscard]] bool loaded() const noexcept { return loaded_; }

  [[nodiscard]] const std::optional<login>& get() const noexcept { return login_; }
  /// Identifies the access token; every new one has another serial.
  [[nodiscard]] std::uint64_t serial() const noexcept { return serial_; }
  [[nodiscard]] credentials request_credentials() const;

  /// T-20: a token is used only for its own resource, whatever the store says, and only for an issuer and client that
  /// the current settings allow.
  [[nodiscard]] bool is_usable(const login& candidate) const;

  void set(login replacement, origin source);
  /// There is no login any more; the store may have a new one later.
  void drop() noexcept { login_.reset(); }
  /// Drops the login. One with the same refresh token is not taken from the store again.
  void reject(const secret& refresh_token);
  /// Drops the login, and the store is known to have no other.
  void log_out() noexcept;

 private:
  const login_context& shared_;
  const server_login_options& options_;
  http_url server_url_;
  std::function<void()> on_new_token_;
  bool loaded_ = false;
  std::optional<login> login_;
  scoped_redaction redaction_;  // redacts the secrets of the last known login
  secret rejected_refresh_token_;
  std::uint64_t serial_ = 0;
  credentials credentials_;   // made from login_
  time_point fresh_until_{};  // of an issued login
};

}  // namespace hawser

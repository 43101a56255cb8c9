// SPDX-License-Identifier: MIT
// Whether a person must log in to a server, and why: what the server's refusals ask for, until a login provides it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "../runtime/error.hpp"
#include "../transports/http/challenge.hpp"

namespace hawser {

class login_requirement {
 public:
  enum class kind : std::uint8_t {
    none,
    login,    ///< the server accepts no request before a new login
    step_up,  ///< the login lacks a scope; other requests still succeed
  };

  /// `on_login_needed` is called whenever a login is required; it may be empty.
  explicit login_requirement(std::function<void()> on_login_needed) : on_login_needed_(std::move(on_login_needed)) {}

  [[nodiscard]] kind current() const noexcept { return kind_; }
  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }

  /// A step-up that is required already remains one. Returns errc::auth with the reason.
  [[nodiscard]] error require_login(std::string reason);
  [[nodiscard]] error require_step_up(std::string reason);
  /// A 401: the missing scope is no longer why requests fail.
  void end_step_up() noexcept;
  /// There is a new login, or the user has logged out.
  void clear() noexcept;

  /// Keeps what the next login has to respect. `bearer` may be null.
  void remember_challenge(const challenge* bearer);
  /// `resource_metadata` of the last challenge that had one; empty = none.
  [[nodiscard]] const std::string& resource_metadata_url() const noexcept { return resource_metadata_url_; }
  /// `scope` of the last challenge.
  [[nodiscard]] const std::optional<std::string>& challenged_scope() const noexcept { return challenged_scope_; }

 private:
  std::function<void()> on_login_needed_;
  kind kind_ = kind::none;
  std::string reason_;
  std::string resource_metadata_url_;
  std::optional<std::string> challenged_scope_;
};

/// A parameter of a challenge; empty if it has none, or if there is no challenge.
std::string challenge_parameter(const challenge* bearer, std::string_view name);

}  // namespace hawser

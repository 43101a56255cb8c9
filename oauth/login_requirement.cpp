// SPDX-License-Identifier: MIT
#include "login_requirement.hpp"

namespace hawser {

std::string challenge_parameter(const challenge* bearer, std::string_view name) {
  const std::string* value = bearer != nullptr ? bearer->find(name) : nullptr;
  return value != nullptr ? *value : std::string{};
}

error login_requirement::require_login(std::string reason) {
  reason_ = reason;
  if (kind_ == kind::none) kind_ = kind::login;
  if (kind_ == kind::login && on_login_needed_) on_login_needed_();
  return error{.code = errc::auth, .what = std::move(reason)};
}

error login_requirement::require_step_up(std::string reason) {
  reason_ = reason;
  kind_ = kind::step_up;
  return error{.code = errc::auth, .what = std::move(reason)};
}

void login_requirement::end_step_up() noexcept {
  if (kind_ == kind::step_up) clear();
}

void login_requirement::clear() noexcept {
  kind_ = kind::none;
  reason_.clear();
}

void login_requirement::remember_challenge(const challenge* bearer) {
  if (auto url = challenge_parameter(bearer, "resource_metadata"); !url.empty())
    resource_metadata_url_ = std::move(url);
  const std::string scope = challenge_parameter(bearer, "scope");
  challenged_scope_ = scope.empty() ? std::nullopt : std::optional{scope};
}

}  // namespace hawser

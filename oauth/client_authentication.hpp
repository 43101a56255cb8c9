// SPDX-License-Identifier: MIT
// How a client proves to a token endpoint who it is (RFC 6749, section 2.3; RFC 7523): by nothing, by its secret in
// one of two places, or by something signed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "form.hpp"
#include "login.hpp"
#include "signing.hpp"
#include "unix_clock.hpp"

namespace hawser {

/// Where tokens are asked for, and what for.
struct token_target {
  std::string endpoint{};
  std::string issuer{};                      ///< the audience of an assertion
  std::string resource{};                    ///< sent as it is; empty = not at all
  std::vector<std::string> auth_methods{};   ///< what the server's metadata lists …
  bool says_methods = false;                 ///< … if it does
  std::shared_ptr<const signing_key> key{};  ///< for private_key_jwt; null = none
  unix_clock now = unix_now;
};

/// What the client is registered with; where nothing is known of that, what the server lists and the client can do.
std::string chosen_method(const client_identity& who, const token_target& at);

/// Adds to the form what belongs there; the result are header lines. errc::config: there is no such proof.
result<secret> authenticate(const client_identity& who, const token_target& at, form& into);

}  // namespace hawser

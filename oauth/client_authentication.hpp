// SPDX-License-Identifier: MIT
// Client authentication at a token endpoint (RFC 6749, section 2.3; RFC 7523): none, a client secret in a header or in
// the body, or a signed assertion.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "login.hpp"
#include "signing_key.hpp"
#include "unix_clock.hpp"
#include "url_encoded_form.hpp"

namespace hawser {

/// A token endpoint and the parameters of requests to it.
struct token_endpoint_context {
  std::string endpoint{};
  std::string issuer{};                      ///< audience of an assertion
  std::string resource{};                    ///< sent unchanged; empty = not sent
  std::vector<std::string> auth_methods{};   ///< token_endpoint_auth_methods_supported …
  bool lists_auth_methods = false;           ///< … and whether the metadata has it
  std::shared_ptr<const signing_key> key{};  ///< for private_key_jwt; null = none
  unix_clock now = unix_now;
};

/// The client's registered method; if unknown, the first that the server lists and the client supports.
std::string select_auth_method(const client_identity& who, const token_endpoint_context& at);

/// Adds the form fields, and returns header lines. errc::config if the client lacks the needed secret or key.
result<secret> authenticate_client(const client_identity& who, const token_endpoint_context& at,
                                   url_encoded_form& into);

}  // namespace hawser

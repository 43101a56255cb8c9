// SPDX-License-Identifier: MIT
#include "client_authentication.hpp"

#include <algorithm>

#include "display_text.hpp"

namespace hawser {

namespace {

constexpr std::int64_t assertion_lifetime = 300;  // seconds: tolerates clock differences, but limits replay

// RFC 6749, section 2.3.1: both parts are form-encoded before they are joined by a colon.
secret basic_auth_field(const client_identity& who) {
  std::string pair = form_encode(who.id) + ':';
  std::string key = form_encode(who.client_secret.reveal());
  pair.reserve(pair.size() + key.size());
  pair += key;
  std::string encoded = base64(pair);
  std::string field = "Authorization: Basic ";
  field.reserve(field.size() + encoded.size() + 2);
  field.append(encoded).append("\r\n");
  const secret made{field};
  for (std::string* one : {&key, &pair, &encoded, &field}) cleanse(one->data(), one->size());
  return made;
}

error missing_client_secret(const client_identity& who, std::string_view what) {
  return error{.code = errc::config, .what = "the client \"" + display_text(who.id) + "\" " + std::string{what}};
}

result<void> add_client_assertion(const client_identity& who, const token_endpoint_context& at,
                                  url_encoded_form& into) {
  if (!at.key)
    return missing_client_secret(who, "is registered with private_key_jwt, but no private key is configured for it");
  const std::int64_t now = at.now();
  const boost::json::object claims{{"iss", who.id},
                                   {"sub", who.id},
                                   {"aud", at.issuer},
                                   {"iat", now},
                                   {"exp", now + assertion_lifetime},
                                   {"jti", base64url(random_bytes(16))}};
  auto assertion = at.key->sign(claims);
  if (!assertion) return assertion.error();
  into.add("client_id", who.id);
  into.add("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
  into.add("client_assertion", assertion->reveal());
  return {};
}

}  // namespace

std::string select_auth_method(const client_identity& who, const token_endpoint_context& at) {
  if (!who.method.empty()) return who.method;
  if (at.key) return "private_key_jwt";
  if (who.client_secret.empty()) return "none";
  for (const char* one : {"client_secret_basic", "client_secret_post", "none"}) {
    const bool listed = std::find(at.auth_methods.begin(), at.auth_methods.end(), one) != at.auth_methods.end();
    if (at.lists_auth_methods && listed) return one;
  }
  return "client_secret_basic";
}

result<secret> authenticate_client(const client_identity& who, const token_endpoint_context& at,
                                   url_encoded_form& into) {
  const std::string method = select_auth_method(who, at);
  if (method == "none") {
    into.add("client_id", who.id);
    return secret{};
  }
  if (method == "private_key_jwt") {
    auto done = add_client_assertion(who, at, into);
    if (!done) return done.error();
    return secret{};
  }
  const bool in_form = method == "client_secret_post";
  if (!in_form && method != "client_secret_basic")
    return missing_client_secret(who, "is registered with \"" + display_text(method) + "\", which is not supported");
  if (who.client_secret.empty())
    return missing_client_secret(who, "is registered with " + method + ", but its secret is not known");
  if (!in_form) return basic_auth_field(who);
  into.add("client_id", who.id);
  into.add("client_secret", who.client_secret.reveal());
  return secret{};
}

}  // namespace hawser

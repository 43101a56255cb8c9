// SPDX-License-Identifier: MIT
// A private key that signs JSON web tokens (RFC 7515), for clients that prove who they are by it. Not for verifying.
#pragma once

#include <boost/json.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "../runtime/crypto.hpp"
#include "../runtime/error.hpp"

namespace hawser {

class signing_key {
 public:
  /// A PEM file's text, not encrypted. `algorithm` is ES256, ES384, RS256, PS256 or EdDSA, and has to fit; empty: what
  /// is usual for that kind of key. `key_id` goes into the head, for servers that know several keys of a client. Never
  /// asks anybody for a password. errc::config, without a byte of the key.
  static result<signing_key> from_pem(const secret& pem, std::string_view algorithm = {}, std::string key_id = {});

  [[nodiscard]] const std::string& algorithm() const noexcept;
  /// Compact form: `head.claims.signature`. Whoever has it is the client until it expires.
  [[nodiscard]] result<secret> sign(const boost::json::object& claims) const;

 private:
  struct material;
  explicit signing_key(std::shared_ptr<const material> of) noexcept : of_(std::move(of)) {}
  std::shared_ptr<const material> of_;
};

}  // namespace hawser

// SPDX-License-Identifier: MIT
// A private key that signs JSON Web Tokens (RFC 7515), for client authentication. Does not verify.
#pragma once

#include <boost/json.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "../runtime/async/task.hpp"
#include "../runtime/crypto.hpp"
#include "../runtime/error.hpp"
#include "oauth_settings.hpp"

namespace hawser {

class signing_key {
 public:
  /// Unencrypted PEM text. `algorithm` is ES256, ES384, RS256, PS256 or EdDSA and must fit the key; empty: the default
  /// for the key type. `key_id` goes into the header, for servers that have several keys of a client. Never prompts for
  /// a password. errc::config, without a byte of the key.
  static result<signing_key> from_pem(const secret& pem, std::string_view algorithm = {}, std::string key_id = {});

  [[nodiscard]] const std::string& algorithm() const noexcept;
  /// Compact serialisation: `header.claims.signature`. A bearer credential until it expires.
  [[nodiscard]] result<secret> sign(const boost::json::object& claims) const;

 private:
  struct material;
  explicit signing_key(std::shared_ptr<const material> of) noexcept : of_(std::move(of)) {}
  std::shared_ptr<const material> of_;
};

/// The private key of the settings, read from its file if they name one; null = none is configured.
task<result<std::shared_ptr<const signing_key>>> load_signing_key(const oauth_settings& settings);

}  // namespace hawser

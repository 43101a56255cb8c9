// SPDX-License-Identifier: MIT
// The interface through which an HTTP channel obtains credentials for its requests and reports that a server refused
// them. oauth/ implements it; the channel itself contains no OAuth code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../runtime/async/task.hpp"
#include "../../runtime/crypto.hpp"
#include "../../runtime/error.hpp"

namespace hawser {

/// The credentials of a request. `serial` identifies them without revealing them; 0 means there are none.
struct credentials {
  secret fields{};  ///< complete header lines, each with its line end; empty = send without credentials
  std::uint64_t serial = 0;
  bool fresh = false;  ///< just obtained: a server that refuses these would refuse any others
};

/// A 401 or 403 response to a request.
struct auth_challenge {
  int status = 401;
  std::vector<std::string> challenges{};  ///< the values of the WWW-Authenticate fields, unparsed
  std::uint64_t serial = 0;               ///< of the credentials that the request was sent with
  std::string operation{};                ///< for error messages, such as "tools/call"
};

class authorizer {
 public:
  virtual ~authorizer() = default;
  /// The current credentials, if they can be determined without waiting; otherwise nullopt.
  [[nodiscard]] virtual std::optional<credentials> cached() = 0;
  /// Called before a request if cached() returned nothing. Returns the current credentials, refreshed if they are
  /// about to expire. Fails only where sending the request without credentials would be wrong; the request is then not
  /// sent.
  virtual task<result<credentials>> acquire() = 0;
  /// Called after a refusal. Returns better credentials to retry with; otherwise errc::auth says what the user has to
  /// do.
  virtual task<result<credentials>> on_challenge(auth_challenge why) = 0;
};

}  // namespace hawser

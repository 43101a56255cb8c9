// SPDX-License-Identifier: MIT
// What an HTTP channel asks of whoever knows how to log in: the credentials of a request, and what to do when a server
// refuses them. Implemented above; the channel knows nothing of OAuth.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../runtime/crypto.hpp"
#include "../runtime/error.hpp"
#include "../runtime/task.hpp"

namespace hawser {

/// What goes with a request. `serial` tells credentials apart without showing them; 0 = there are none.
struct auth_grant {
  secret fields{};  ///< ready header lines, each with its line end; empty = try without
  std::uint64_t serial = 0;
  bool fresh = false;  ///< just obtained: whoever refuses these refuses every one
};

/// A request that came back with 401 or 403.
struct auth_refusal {
  int status = 401;
  std::vector<std::string> challenges{};  ///< the WWW-Authenticate fields, as they came
  std::uint64_t serial = 0;               ///< of the grant that it was made with
  std::string operation{};                ///< "tools/call", for messages
};

class authorizer {
 public:
  virtual ~authorizer() = default;
  /// What there is, if nothing has to be waited for to know it.
  [[nodiscard]] virtual std::optional<auth_grant> at_hand() = 0;
  /// Before a request, if there is nothing at hand: what there is, renewed if it is about to expire. An error only
  /// where asking without credentials would be wrong; the request is not made then.
  virtual task<result<auth_grant>> grant() = 0;
  /// After a refusal: something better to try again with; else errc::auth says what a person has to do.
  virtual task<result<auth_grant>> refused(auth_refusal why) = 0;
};

}  // namespace hawser

// SPDX-License-Identifier: MIT
// Sends HTTP requests with the credentials of an authorizer, and again with other ones after a refusal (401, or 403
// with a challenge). Without an authorizer it only forwards.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "../../../runtime/log.hpp"
#include "../../http/client/http_client.hpp"
#include "../authorizer.hpp"

namespace hawser::detail {

class authorized_client {
 public:
  /// The client, the log and, unless it is null, the authorizer outlive this object. `credential_names` are the
  /// credentials among the configured header fields, for error messages; empty: none.
  authorized_client(http_client& client, authorizer* login, std::string credential_names, const logger& log)
      : client_(client), login_(login), credential_names_(std::move(credential_names)), log_(log) {}

  [[nodiscard]] bool needs_credentials() const noexcept { return login_ != nullptr; }
  /// The credentials that can be had without waiting. Precondition: needs_credentials().
  [[nodiscard]] std::optional<credentials> cached();

  /// Like http_client::fetch(). `operation` is for error messages. `started` is the request if it was sent already, and
  /// `used_credentials` those that it was sent with.
  task<result<client_response>> fetch(client_request request, std::string_view operation, started_request started = {},
                                      std::optional<credentials> used_credentials = {});

 private:
  http_client& client_;
  authorizer* login_;
  std::string credential_names_;
  const logger& log_;
};

}  // namespace hawser::detail

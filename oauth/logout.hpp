// SPDX-License-Identifier: MIT
// Revokes the tokens of logins that were removed from the store (RFC 7009).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "oauth_http_factory.hpp"

namespace hawser {

struct logout_report {
  std::size_t removed = 0;              ///< logins
  std::size_t revoked = 0;              ///< tokens that the authorization server has revoked
  std::vector<std::string> failures{};  ///< why other tokens were not revoked
};

/// Revokes what the authorization servers of these logins support. A failure goes into the report. References must
/// outlive the await.
task<logout_report> revoke_logins(oauth_http_factory& connections, const oauth_settings& settings, unix_clock now,
                                  std::vector<login> removed);

}  // namespace hawser

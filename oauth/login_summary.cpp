// SPDX-License-Identifier: MIT
#include "login_summary.hpp"

#include "display_text.hpp"

namespace hawser {

login_summary summarize(std::string_view server_url, const login& source) {
  return {.server = url_without_query(server_url),
          .issuer = source.key.issuer,
          .resource = url_without_query(source.key.resource),
          .client = source.key.client,
          .scope = source.tokens.scope.empty() ? source.requested_scope : source.tokens.scope,
          .expires_at = source.tokens.expires_at,
          .renewable = !source.tokens.refresh.empty()};
}

}  // namespace hawser

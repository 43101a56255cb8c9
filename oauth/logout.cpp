// SPDX-License-Identifier: MIT
#include "logout.hpp"

#include <algorithm>

#include "signing_key.hpp"
#include "token_endpoint.hpp"

namespace hawser {

namespace {

bool is_revocable(const login& removed) { return !removed.revocation_endpoint.empty(); }

}  // namespace

task<logout_report> revoke_logins(oauth_http_factory& connections, const oauth_settings& settings, unix_clock now,
                                  std::vector<login> removed) {
  logout_report report{.removed = removed.size()};
  if (std::none_of(removed.begin(), removed.end(), is_revocable)) co_return report;
  auto http = co_await connections.open();
  auto key = co_await load_signing_key(settings);
  if (!http || !key) {
    report.failures.push_back(http ? key.error().what : http.error().what);
    if (http) co_await (*http)->close();
    co_return report;
  }
  for (const login& entry : removed) {
    if (!is_revocable(entry)) continue;
    const bool renewable = !entry.tokens.refresh.empty();
    const secret& token = renewable ? entry.tokens.refresh : entry.tokens.access;
    token_endpoint_context endpoint{
        .endpoint = entry.revocation_endpoint, .issuer = entry.key.issuer, .key = *key, .now = now};
    std::string hint = renewable ? "refresh_token" : "access_token";
    auto revoked = co_await revoke_token(**http, std::move(endpoint), entry.client, token, std::move(hint));
    if (revoked) {
      ++report.revoked;
    } else {
      report.failures.push_back(revoked.error().what);
    }
  }
  co_await (*http)->close();
  co_return report;
}

}  // namespace hawser

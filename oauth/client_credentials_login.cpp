// SPDX-License-Identifier: MIT
#include "client_credentials_login.hpp"

#include "auth_metadata.hpp"
#include "scopes.hpp"
#include "signing_key.hpp"
#include "token_endpoint.hpp"

namespace hawser {

// E21: a secret shown to one authorization server is never shown to another.
result<void> client_credentials_login::check_authorization_server(const std::string& issuer) {
  const oauth_settings& settings = options_.settings;
  if (!settings.issuer.empty()) return {};
  if (login_.get()) {
    if (login_.get()->key.issuer == issuer) return {};
    return requirement_.require_login("the server names another authorization server than before, " + issuer +
                                      ": set \"issuer\" under \"oauth\" to it if that is right");
  }
  if (!settings.client_secret.empty())
    shared_.event_loop.log().write(log_level::warning, options_.name,
                                   "its secret goes to whichever authorization server it names: set \"issuer\" under "
                                   "\"oauth\" to " +
                                       issuer);
  return {};
}

task<result<void>> client_credentials_login::run(oauth_http& http, http_url server_url) {
  const oauth_settings& settings = options_.settings;
  auto metadata = co_await discover(http, server_url, requirement_.resource_metadata_url(), settings);
  if (!metadata) co_return metadata.error();
  if (settings.client_id.empty())
    co_return error{.code = errc::config,
                    .what = "it is configured to log in by itself: set \"client_id\" under \"oauth\""};
  const authorization_server_metadata& server = metadata->authorization_server;
  if (auto allowed = check_authorization_server(server.issuer); !allowed) co_return allowed;
  auto key = co_await load_signing_key(settings);
  if (!key) co_return key.error();
  const client_identity client{.id = settings.client_id,
                               .client_secret = secret{settings.client_secret},
                               .method = *key ? "private_key_jwt" : settings.auth_method};
  const token_endpoint_context endpoint{.endpoint = server.token_endpoint,
                                        .issuer = server.issuer,
                                        .resource = metadata->resource,
                                        .auth_methods = server.auth_methods,
                                        .lists_auth_methods = server.lists_auth_methods,
                                        .key = *key,
                                        .now = shared_.now};
  // The server cannot extend the configured scope, because no person confirms it here.
  const std::string wanted = settings.scope.empty() ? requirement_.challenged_scope().value_or("") : settings.scope;
  std::string scope = scope_union(wanted, "");
  if (scope.empty()) scope = metadata->scopes.value_or("");
  auto response = co_await request_client_credentials(http, endpoint, client, scope);
  if (!response) co_return response.error();
  if (!response->error_code.empty())
    co_return requirement_.require_login(
        server.issuer + " refuses the configured client: " + response->error_code +
        (response->error_description.empty() ? "" : " (" + response->error_description + ')'));
  const std::string only_server = is_above_server(metadata->resource, server_url) ? options_.url : std::string{};
  login_.set(
      {.key = {.issuer = server.issuer, .resource = metadata->resource, .client = client.id, .server = only_server},
       .tokens = std::move(response->tokens),
       .client = client,
       .requested_scope = std::move(scope),
       .token_endpoint = server.token_endpoint,
       .revocation_endpoint = server.revocation_endpoint},
      current_login::origin::issued);
  co_return result<void>{};
}

}  // namespace hawser

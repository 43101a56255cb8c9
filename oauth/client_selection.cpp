// SPDX-License-Identifier: MIT
#include "client_selection.hpp"

namespace hawser {

namespace {

constexpr const char* usual_path = "/callback";

// E21: a secret for one authorization server is not sent to another that the server names later.
task<result<void>> same_issuer_as_before(credential_store& store, std::string issuer, std::string client_id,
                                         std::string server_url) {
  auto before = co_await store.find_for_server(std::move(server_url));
  if (!before) co_return before.error();
  if (!before->has_value() || (*before)->key.client != client_id || (*before)->key.issuer == issuer)
    co_return result<void>{};
  co_return error{.code = errc::auth,
                  .what = "the server names another authorization server than before, " + issuer + " instead of " +
                          (*before)->key.issuer + ": the configured client is not shown to it; if that is right, set " +
                          "\"issuer\" under \"oauth\" to the new one and log out first"};
}

}  // namespace

task<result<std::optional<client_identity>>> select_client(credential_store& store, authorization_server_metadata at,
                                                           oauth_settings settings, std::string server_url,
                                                           std::int64_t now) {
  using found = std::optional<client_identity>;
  if (!settings.client_id.empty()) {
    if (settings.issuer.empty()) {
      auto same = co_await same_issuer_as_before(store, at.issuer, settings.client_id, std::move(server_url));
      if (!same) co_return same.error();
    }
    co_return found{client_identity{
        .id = settings.client_id, .client_secret = secret{settings.client_secret}, .method = settings.auth_method}};
  }
  if (at.supports_client_documents && !settings.client_document.empty())
    co_return found{client_identity{.id = settings.client_document, .method = "none"}};
  auto kept = co_await store.find_client(at.issuer);
  if (!kept) co_return kept.error();
  if (*kept && (*kept)->expires_at != 0 && (*kept)->expires_at <= now) kept->reset();
  co_return kept;
}

task<result<client_identity>> register_new_client(credential_store& store, oauth_http& asks,
                                                  authorization_server_metadata at, registration_request what) {
  if (at.registration_endpoint.empty())
    co_return error{.code = errc::auth,
                    .what = at.issuer +
                            " does not register clients by itself: register one there with the redirect "
                            "address http://127.0.0.1/callback, and set \"client_id\" under \"oauth\" in the server's "
                            "configuration"};
  const std::string redirect_uri = what.redirect_uri;
  auto fresh = co_await register_client(asks, at, std::move(what));
  if (!fresh) co_return fresh.error();
  fresh->redirect_uri = redirect_uri;
  auto saved = co_await store.save_client(at.issuer, *fresh);
  if (!saved) co_return prefixed("the registration cannot be kept", saved.error());
  co_return fresh;
}

result<callback_server> listen_for_callback(loop& home, const oauth_settings& settings,
                                            const std::optional<client_identity>& client) {
  const bool fixed = settings.callback_port != 0 || !settings.callback_path.empty();
  const bool own = client && client->redirect_uri.empty();  // not registered by us: its registered path is fixed
  if (fixed || own) {
    const std::string path = settings.callback_path.empty() ? usual_path : settings.callback_path;
    return callback_server::listen(home, {.port = settings.callback_port, .path = path});
  }
  if (client) {
    // Reuse the registered redirect URI if its port is free.
    if (const auto before = http_url::parse(client->redirect_uri)) {
      auto again = callback_server::listen(home, {.port = before->port, .path = before->target});
      if (again) return again;
    }
  }
  return callback_server::listen(home, {});
}

}  // namespace hawser

// SPDX-License-Identifier: MIT
#include "code_flow.hpp"

#include <algorithm>

#include "../runtime/async/event.hpp"
#include "../runtime/async/when.hpp"
#include "../runtime/redaction.hpp"
#include "browser.hpp"
#include "callback_server.hpp"
#include "client_selection.hpp"
#include "display_text.hpp"
#include "guarded_login_ui.hpp"
#include "pkce.hpp"
#include "scopes.hpp"
#include "token_endpoint.hpp"
#include "url_encoded_form.hpp"

namespace hawser {

namespace {

constexpr std::size_t state_size = 32;
constexpr const char* offline = "offline_access";

// The state of one authorization request. T-22: a redirect belongs to this request or is refused.
struct authorization_request {
  auth_metadata place{};
  client_identity client{};
  std::string redirect_uri{};
  std::string scope{};
  std::shared_ptr<const signing_key> key{};
  bool requires_iss = false;  // the redirect must carry `iss`
  std::string only_server{};  // see login_key::server
  secret state{base64url(random_bytes(state_size))};
  pkce_pair proof = pkce_pair::make();
};

std::string authorization_url(const authorization_request& a) {
  url_encoded_form query;
  query.add("response_type", "code")
      .add("client_id", a.client.id)
      .add("redirect_uri", a.redirect_uri)
      .add("code_challenge", a.proof.challenge)
      .add("code_challenge_method", "S256")
      .add("state", a.state.reveal())
      .add("resource", a.place.resource)
      .add_unless_empty("scope", a.scope);
  // OpenID Connect: offline_access requires the consent prompt.
  if (has_scopes(a.scope, offline)) query.add("prompt", "consent");
  const std::string& to = a.place.authorization_server.authorization_endpoint;
  const char* const joint = to.find('?') == to.npos ? "?" : to.ends_with('?') || to.ends_with('&') ? "" : "&";
  return to + joint + std::string{query.text()};
}

// Mix-up attack (RFC 9700, 4.4): metadata with another server's authorization endpoint and its own token endpoint
// collects that server's codes. Without `iss` in the redirect, only endpoints on the issuer's own origin rule that out.
bool endpoints_on_issuer_origin(const authorization_server_metadata& of) {
  const auto issuer = http_url::parse(of.issuer);
  if (!issuer) return false;
  for (const std::string* endpoint : {&of.authorization_endpoint, &of.token_endpoint}) {
    const auto url = http_url::parse(*endpoint);
    if (!url || !same_origin(*url, *issuer)) return false;
  }
  return true;
}

// RFC 9207: checked before anything else of the response is used or shown.
result<void> check_issuer(const authorization_response& got, const authorization_request& a) {
  const authorization_server_metadata& expected = a.place.authorization_server;
  if (got.has_iss ? got.iss == expected.issuer : !a.requires_iss) return {};
  std::string what = "the login came back ";
  if (got.has_iss) {
    what += "from another authorization server than the one it was begun with, " + expected.issuer;
  } else if (expected.sends_iss) {
    what += "without the name of its authorization server, which it promises to send: " + expected.issuer;
  } else {
    what += "without the name of its authorization server (\"iss\"), and the endpoints of " + expected.issuer +
            " are on another origin, so that the code may be another server's; if that authorization server is "
            "trusted, set \"issuer\" under \"oauth\" to it";
  }
  return error{.code = errc::auth, .what = what + "; nothing of it is used"};
}

task<result<authorization_response>> read_pasted_response(login_ui& person, std::string redirect_uri, secret state,
                                                          bool whole_address) {
  for (;;) {
    auto text = co_await person.read_pasted_text();
    if (!text) {
      if (text.error().code == errc::cancelled) co_return text.error();
      event never;  // the redirect may still arrive
      auto stopped = co_await never.wait();
      co_return stopped ? cancelled_error() : stopped.error();
    }
    auto answer = parse_pasted_response(*text, redirect_uri, state);
    cleanse(text->data(), text->size());
    if (answer && answer->code_only && whole_address) {
      person.show_message("a code alone does not say which authorization server gave it: paste the whole address");
    } else if (answer) {
      co_return answer;
    } else {
      person.show_message(answer.error().what);
    }
  }
}

task<result<authorization_response>> wait_for_response(callback_server& door, const authorization_request& a,
                                                       login_ui& person, duration patience) {
  auto first = co_await when_any(door.wait(a.state, patience),
                                 read_pasted_response(person, a.redirect_uri, a.state, a.requires_iss));
  co_return first.winner == 0 ? std::move(std::get<0>(first.values)) : std::move(std::get<1>(first.values));
}

task<void> show_login_page(const code_flow_context& with, browser& opener, login_prompt prompt, login_ui& person) {
  person.show(prompt);
  if (!with.opens_browser || !person.wants_browser()) co_return;
  auto opened = co_await opener.open(std::move(prompt.url));
  if (!opened) person.show_message(opened.error().what + "; open the address by hand");
}

task<result<login>> exchange_for_tokens(code_flow_context with, const authorization_request& a,
                                        authorization_response answer) {
  const token_endpoint_context target{.endpoint = a.place.authorization_server.token_endpoint,
                                      .issuer = a.place.authorization_server.issuer,
                                      .resource = a.place.resource,
                                      .auth_methods = a.place.authorization_server.auth_methods,
                                      .lists_auth_methods = a.place.authorization_server.lists_auth_methods,
                                      .key = a.key,
                                      .now = with.now};
  auto outcome =
      co_await exchange_code(with.http, target, a.client, std::move(answer.code), a.proof.verifier, a.redirect_uri);
  if (!outcome) co_return outcome.error();
  if (!outcome->error_code.empty()) {
    error why{.code = errc::auth,
              .what = a.place.authorization_server.issuer + " gives no token for the login: " + outcome->error_code};
    if (!outcome->error_description.empty()) why.what += " (" + outcome->error_description + ')';
    co_return why;
  }
  client_identity client = a.client;
  client.method = select_auth_method(client, target);  // a refresh has no metadata to choose by
  co_return login{.key = {.issuer = a.place.authorization_server.issuer,
                          .resource = a.place.resource,
                          .client = a.client.id,
                          .server = a.only_server},
                  .tokens = std::move(outcome->tokens),
                  .client = std::move(client),
                  .requested_scope = a.scope,
                  .token_endpoint = a.place.authorization_server.token_endpoint,
                  .revocation_endpoint = a.place.authorization_server.revocation_endpoint};
}

task<result<login>> finish_login(code_flow_context with, const authorization_request& a, callback_server& door,
                                 login_ui& person, duration patience) {
  auto answer = co_await wait_for_response(door, a, person, patience);
  if (!answer) co_return answer.error();
  with.home.redactions()->add(answer->code);
  if (auto known = check_issuer(*answer, a); !known) co_return known.error();
  if (!answer->error.empty()) {
    const redaction& hidden = *with.home.redactions();
    error why{
        .code = errc::auth,
        .what = a.place.authorization_server.issuer + " refuses the login: " + display_text(answer->error, hidden)};
    if (!answer->error_description.empty()) why.what += " (" + display_text(answer->error_description, hidden) + ')';
    co_return why;
  }
  co_return co_await exchange_for_tokens(with, a, *std::move(answer));
}

}  // namespace

std::string select_scope(const code_flow_request& order, const auth_metadata& place) {
  const std::string own = scope_union(order.settings.scope, order.user_scope);
  std::string scope;
  // Scope selection: the scope of the challenge plus the configured and requested scopes; without a challenge, these
  // alone; without any of them, scopes_supported of the resource.
  if (order.challenged_scope) {
    scope = scope_union(*order.challenged_scope, own);
  } else {
    scope = own.empty() ? place.scopes.value_or(std::string{}) : own;
  }
  scope = scope_union(order.previous_scope, scope);
  const bool lasting = std::find(place.authorization_server.scopes.begin(), place.authorization_server.scopes.end(),
                                 offline) != place.authorization_server.scopes.end();
  return lasting && !scope.empty() ? scope_union(scope, offline) : scope;
}

task<result<login>> run_code_flow(code_flow_context with, code_flow_request order, login_ui& whoever) {
  guarded_login_ui person{with.home, whoever};
  auto place = co_await discover(with.http, order.server, order.resource_metadata_url, order.settings);
  if (!place) co_return place.error();
  authorization_request a{.place = *std::move(place), .key = order.key};
  // T-15: the browser runs inside the user's network with the user's sessions.
  auto page = http_url::parse(a.place.authorization_server.authorization_endpoint);
  if (!page) co_return prefixed("the authorization endpoint", page.error());
  auto outward = co_await with.http.check_browser_zone(*std::move(page));
  if (!outward) co_return prefixed("the authorization endpoint", outward.error());
  // A configured issuer cannot have been invented by the server.
  const bool vouched_for = !order.settings.issuer.empty() || endpoints_on_issuer_origin(a.place.authorization_server);
  a.requires_iss = a.place.authorization_server.sends_iss || !vouched_for;
  const bool above = is_above_server(a.place.resource, order.server);
  if (above) a.only_server = order.server_url;
  auto client =
      co_await select_client(with.store, a.place.authorization_server, order.settings, order.server_url, with.now());
  if (!client) co_return client.error();
  // Bound before the redirect URI is announced: some servers require exactly the registered port.
  auto door = listen_for_callback(with.home, order.settings, *client);
  if (!door) co_return door.error();
  a.redirect_uri = door->redirect_uri();
  if (client->has_value() && ((*client)->redirect_uri.empty() || (*client)->redirect_uri == a.redirect_uri)) {
    a.client = **std::move(client);
  } else {
    registration_request what{.redirect_uri = a.redirect_uri, .now = with.now};
    auto fresh = co_await register_new_client(with.store, with.http, a.place.authorization_server, std::move(what));
    if (!fresh) co_return fresh.error();
    a.client = *std::move(fresh);
  }
  for (const secret* one : {&a.state, &a.proof.verifier, &a.client.client_secret}) with.home.redactions()->add(*one);
  a.scope = select_scope(order, a.place);
  const login_prompt prompt{.url = authorization_url(a),
                            .issuer = a.place.authorization_server.issuer,
                            .resource = a.place.resource,
                            .resource_above_server = above};
  if (auto sound = parse_browser_url(prompt.url); !sound)
    co_return prefixed("the authorization endpoint", sound.error());
  browser opener{with.home};
  co_await show_login_page(with, opener, prompt, person);
  auto done = co_await finish_login(with, a, *door, person, order.timeout);
  // A registration that the server has dropped shows only as an error in the browser, so the next login registers
  // again.
  if (!done && !a.client.redirect_uri.empty()) {
    auto forgotten = co_await with.store.remove_client(a.place.authorization_server.issuer, a.client.id);
    ignore(forgotten, "it is tried again with it, at worst");
  }
  co_return done;
}

}  // namespace hawser

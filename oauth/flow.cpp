// SPDX-License-Identifier: MIT
#include "flow.hpp"

#include <algorithm>

#include "../runtime/event.hpp"
#include "../runtime/redaction.hpp"
#include "../runtime/when.hpp"
#include "browser.hpp"
#include "callback_server.hpp"
#include "client_choice.hpp"
#include "form.hpp"
#include "guarded_person.hpp"
#include "pkce.hpp"
#include "scopes.hpp"
#include "shown_text.hpp"
#include "token.hpp"

namespace hawser {

namespace {

constexpr std::size_t state_size = 32;
constexpr const char* offline = "offline_access";

// The state of one authorization request. T-22: a redirect belongs to this request or is refused.
struct attempt {
  login_place place{};
  client_identity client{};
  std::string redirect_uri{};
  std::string scope{};
  std::shared_ptr<const signing_key> key{};
  bool requires_iss = false;  // the redirect must carry `iss`
  std::string only_server{};  // see login_key::server
  secret state{base64url(random_bytes(state_size))};
  pkce_pair proof = pkce_pair::make();
};

std::string authorization_url(const attempt& a) {
  form query;
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
  const std::string& to = a.place.at.authorization_endpoint;
  const char* const joint = to.find('?') == to.npos ? "?" : to.ends_with('?') || to.ends_with('&') ? "" : "&";
  return to + joint + std::string{query.text()};
}

// Mix-up attack (RFC 9700, 4.4): metadata with another server's authorization endpoint and its own token endpoint
// collects that server's codes. Without `iss` in the redirect, only endpoints on the issuer's own origin rule that out.
bool endpoints_on_issuer_origin(const server_metadata& of) {
  const auto issuer = http_url::parse(of.issuer);
  if (!issuer) return false;
  for (const std::string* endpoint : {&of.authorization_endpoint, &of.token_endpoint}) {
    const auto url = http_url::parse(*endpoint);
    if (!url || !same_origin(*url, *issuer)) return false;
  }
  return true;
}

// RFC 9207: checked before anything else of the response is used or shown.
result<void> check_issuer(const callback_answer& got, const attempt& a) {
  const server_metadata& expected = a.place.at;
  if (got.has_iss ? got.iss == expected.issuer : !a.requires_iss) return {};
  std::string what = "the login came back ";
  if (got.has_iss) {
    what += "from another authorization server than the one it was begun with, " + expected.issuer;
  } else if (expected.says_iss) {
    what += "without the name of its authorization server, which it promises to send: " + expected.issuer;
  } else {
    what += "without the name of its authorization server (\"iss\"), and the endpoints of " + expected.issuer +
            " are on another origin, so that the code may be another server's; if that authorization server is "
            "trusted, set \"issuer\" under \"oauth\" to it";
  }
  return error{.code = errc::auth, .what = what + "; nothing of it is used"};
}

task<result<callback_answer>> pasted_answer(login_person& person, std::string redirect_uri, secret state,
                                            bool whole_address) {
  for (;;) {
    auto text = co_await person.pasted();
    if (!text) {
      if (text.error().code == errc::cancelled) co_return text.error();
      event never;  // the redirect may still arrive
      auto stopped = co_await never.wait();
      co_return stopped ? cancelled_error() : stopped.error();
    }
    auto answer = read_pasted(*text, redirect_uri, state);
    cleanse(text->data(), text->size());
    if (answer && answer->bare && whole_address) {
      person.remark("a code alone does not say which authorization server gave it: paste the whole address");
    } else if (answer) {
      co_return answer;
    } else {
      person.remark(answer.error().what);
    }
  }
}

task<result<callback_answer>> came_back(callback_server& door, const attempt& a, login_person& person,
                                        duration patience) {
  auto first =
      co_await when_any(door.wait(a.state, patience), pasted_answer(person, a.redirect_uri, a.state, a.requires_iss));
  co_return first.winner == 0 ? std::move(std::get<0>(first.values)) : std::move(std::get<1>(first.values));
}

task<void> invite(const login_tools& with, browser& opener, login_prompt prompt, login_person& person) {
  person.show(prompt);
  if (!with.opens_browser || !person.wants_browser()) co_return;
  auto opened = co_await opener.open(std::move(prompt.url));
  if (!opened) person.remark(opened.error().what + "; open the address by hand");
}

task<result<login>> redeemed(login_tools with, const attempt& a, callback_answer answer) {
  const token_target target{.endpoint = a.place.at.token_endpoint,
                            .issuer = a.place.at.issuer,
                            .resource = a.place.resource,
                            .auth_methods = a.place.at.auth_methods,
                            .says_methods = a.place.at.says_methods,
                            .key = a.key,
                            .now = with.now};
  auto outcome =
      co_await redeem_code(with.asks, target, a.client, std::move(answer.code), a.proof.verifier, a.redirect_uri);
  if (!outcome) co_return outcome.error();
  if (!outcome->refusal.empty()) {
    error why{.code = errc::auth, .what = a.place.at.issuer + " gives no token for the login: " + outcome->refusal};
    if (!outcome->description.empty()) why.what += " (" + outcome->description + ')';
    co_return why;
  }
  client_identity client = a.client;
  client.method = chosen_method(client, target);  // a refresh has no metadata to choose by
  co_return login{.key = {.issuer = a.place.at.issuer,
                          .resource = a.place.resource,
                          .client = a.client.id,
                          .server = a.only_server},
                  .tokens = std::move(outcome->tokens),
                  .client = std::move(client),
                  .asked_scope = a.scope,
                  .token_endpoint = a.place.at.token_endpoint,
                  .revocation_endpoint = a.place.at.revocation_endpoint};
}

task<result<login>> answered(login_tools with, const attempt& a, callback_server& door, login_person& person,
                             duration patience) {
  auto answer = co_await came_back(door, a, person, patience);
  if (!answer) co_return answer.error();
  with.home.hidden()->add(answer->code);
  if (auto known = check_issuer(*answer, a); !known) co_return known.error();
  if (!answer->error.empty()) {
    const redaction& hidden = *with.home.hidden();
    error why{.code = errc::auth,
              .what = a.place.at.issuer + " refuses the login: " + shown_text(answer->error, hidden)};
    if (!answer->error_description.empty()) why.what += " (" + shown_text(answer->error_description, hidden) + ')';
    co_return why;
  }
  co_return co_await redeemed(with, a, *std::move(answer));
}

}  // namespace

std::string chosen_scope(const login_order& order, const login_place& place) {
  const std::string own = joined_scopes(order.settings.scope, order.wished_scope);
  std::string scope;
  // Scope selection: the scope of the challenge plus the configured and requested scopes; without a challenge, these
  // alone; without any of them, scopes_supported of the resource.
  if (order.challenged_scope) {
    scope = joined_scopes(*order.challenged_scope, own);
  } else {
    scope = own.empty() ? place.scopes.value_or(std::string{}) : own;
  }
  scope = joined_scopes(order.earlier_scope, scope);
  const bool lasting = std::find(place.at.scopes.begin(), place.at.scopes.end(), offline) != place.at.scopes.end();
  return lasting && !scope.empty() ? joined_scopes(scope, offline) : scope;
}

task<result<login>> log_in(login_tools with, login_order order, login_person& whoever) {
  guarded_person person{with.home, whoever};
  auto place = co_await find_login_place(with.asks, order.server, order.hinted, order.settings);
  if (!place) co_return place.error();
  attempt a{.place = *std::move(place), .key = order.key};
  // T-15: the browser runs inside the user's network with the user's sessions.
  auto page = http_url::parse(a.place.at.authorization_endpoint);
  if (!page) co_return prefixed("the authorization endpoint", page.error());
  auto outward = co_await with.asks.may_be_shown(*std::move(page));
  if (!outward) co_return prefixed("the authorization endpoint", outward.error());
  // A configured issuer cannot have been invented by the server.
  const bool vouched_for = !order.settings.issuer.empty() || endpoints_on_issuer_origin(a.place.at);
  a.requires_iss = a.place.at.says_iss || !vouched_for;
  const bool above = lies_above(a.place.resource, order.server);
  if (above) a.only_server = order.server_url;
  auto client = co_await known_client(with.store, a.place.at, order.settings, order.server_url, with.now());
  if (!client) co_return client.error();
  // Bound before the redirect URI is announced: some servers require exactly the registered port.
  auto door = callback_for(with.home, order.settings, *client);
  if (!door) co_return door.error();
  a.redirect_uri = door->redirect_uri();
  if (client->has_value() && ((*client)->redirect_uri.empty() || (*client)->redirect_uri == a.redirect_uri)) {
    a.client = **std::move(client);
  } else {
    registration_request what{.redirect_uri = a.redirect_uri, .now = with.now};
    auto fresh = co_await registered_client(with.store, with.asks, a.place.at, std::move(what));
    if (!fresh) co_return fresh.error();
    a.client = *std::move(fresh);
  }
  for (const secret* one : {&a.state, &a.proof.verifier, &a.client.key}) with.home.hidden()->add(*one);
  a.scope = chosen_scope(order, a.place);
  const login_prompt prompt{.url = authorization_url(a),
                            .issuer = a.place.at.issuer,
                            .resource = a.place.resource,
                            .resource_above_server = above};
  if (auto sound = openable_url(prompt.url); !sound) co_return prefixed("the authorization endpoint", sound.error());
  browser opener{with.home};
  co_await invite(with, opener, prompt, person);
  auto done = co_await answered(with, a, *door, person, order.patience);
  // A registration that the server has dropped shows only as an error in the browser, so the next login registers
  // again.
  if (!done && !a.client.redirect_uri.empty()) {
    auto forgotten = co_await with.store.forget_client(a.place.at.issuer, a.client.id);
    ignore(forgotten, "it is tried again with it, at worst");
  }
  co_return done;
}

}  // namespace hawser

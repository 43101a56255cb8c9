// SPDX-License-Identifier: MIT
// An authorization server and the MCP server that it protects, on one origin, in threads of the test process. It
// rotates refresh tokens, revokes a token family on reuse, expires tokens on command, and counts requests. A test can
// replace each of its responses.
#pragma once

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <set>

#include "../../oauth/pkce.hpp"
#include "form_fields.hpp"
#include "scripted_http_server.hpp"

namespace hawser::testing {

struct fake_response {
  enum class ending { whole, reset, silence };  ///< complete; a reset instead; no response until the client disconnects
  std::string status = "200 OK";
  std::string body{};
  std::string fields{};  ///< header lines
  std::string type = "application/json";
  ending how = ending::whole;
};

struct fake_tokens {
  std::string access{};
  std::string refresh{};
  std::string scope{};
};

/// Counts of what happened so far.
struct fake_counts {
  int registrations = 0;
  int authorizations = 0;  ///< authorization codes issued
  int codes = 0;           ///< authorization codes exchanged
  int refreshes = 0;       ///< refresh requests granted
  int refusals = 0;        ///< error responses of the token endpoint
  int replays = 0;         ///< refresh tokens used a second time
  int revocations = 0;
  int calls = 0;    ///< tool calls answered
  int denials = 0;  ///< 401 and 403 responses
};

struct fake_authorization_options {
  bool rotates = true;              ///< a refresh issues a new refresh token and invalidates the old one
  bool gives_refresh = true;        ///< if false, no refresh tokens are issued
  bool revokes_families = true;     ///< if a used refresh token is used again
  std::string expires_in = "3600";  ///< as in the response; empty: omitted
  std::string method = "none";      ///< token_endpoint_auth_methods_supported, and the method in registration responses
  std::string scope = "mcp:basic";  ///< the scope in a 401 challenge
  std::string admin = "mcp:admin";  ///< the additional scope that the tool `admin` requires
  std::string path = "/mcp";
  std::string resource{};     ///< the resource of its tokens; empty = the server it protects itself
  bool whole_origin = false;  ///< its metadata names the whole origin as the resource
};

class fake_authorization_server {
 public:
  using usual = std::function<fake_response()>;  ///< produces the regular response, with all side effects
  using instead = std::function<fake_response(const received_request& asked, const usual& otherwise)>;

  explicit fake_authorization_server(fake_authorization_options options = {})
      : options_(std::move(options)), http_server_([this](scripted_connection& with) { serve(with); }) {}

  [[nodiscard]] std::string issuer() const { return http_server_.origin(); }
  [[nodiscard]] std::string resource() const { return http_server_.origin() + options_.path; }
  /// The resource of its tokens.
  [[nodiscard]] std::string granted_for() const {
    if (options_.whole_origin) return issuer();
    return options_.resource.empty() ? resource() : options_.resource;
  }
  [[nodiscard]] const scripted_http_server& http_server() const noexcept { return http_server_; }

  // All of these may be called from any thread.
  /// From now on, requests to this path ("/token") are answered by `what`.
  void replace(const std::string& path, instead what) {
    const std::scoped_lock lock{guard_};
    replaced_[path] = std::make_shared<const instead>(std::move(what));
  }
  void restore(const std::string& path) {
    const std::scoped_lock lock{guard_};
    replaced_.erase(path);
  }
  /// From now on another authorization server is the issuer for the protected server; it must outlive this one.
  void move_to(fake_authorization_server& other) {
    const std::scoped_lock lock{guard_};
    moved_to_ = &other;
    access_.clear();
  }
  /// A client that does not need to register.
  void know(const std::string& client, const std::string& key = {}) {
    const std::scoped_lock lock{guard_};
    clients_[client] = key;
  }
  /// As if this client had logged in: creates a token family.
  fake_tokens log_in(const std::string& client, const std::string& scope) {
    const std::scoped_lock lock{guard_};
    clients_.try_emplace(client);
    return grant({.family = ++families_, .client = client, .scope = scope}, options_.gives_refresh);
  }
  /// Invalidates all access tokens issued so far.
  void expire() {
    const std::scoped_lock lock{guard_};
    access_.clear();
    callers_.clear();
  }
  /// Invalidates the refresh tokens as well, as if the user had revoked all access.
  void revoke_all() {
    const std::scoped_lock lock{guard_};
    access_.clear();
    for (int one = 1; one <= families_; ++one) revoked_.insert(one);
  }
  [[nodiscard]] fake_counts counts() const {
    const std::scoped_lock lock{guard_};
    return counts_;
  }
  /// The number of different arguments in the calls answered since the last expire(): if each caller sends its own
  /// name, this is the number of callers that have been served.
  [[nodiscard]] std::size_t callers() const {
    const std::scoped_lock lock{guard_};
    return callers_.size();
  }
  /// Waits until there are this many.
  bool wait_for_callers(std::size_t count, std::chrono::seconds bound = std::chrono::seconds{60}) {
    std::unique_lock lock{guard_};
    return news_.wait_for(lock, bound, [&] { return callers_.size() >= count; });
  }
  /// Waits until a condition on the counts is true; false on timeout.
  bool wait(const std::function<bool(const fake_counts&)>& claim,
            std::chrono::seconds bound = std::chrono::seconds{30}) {
    std::unique_lock lock{guard_};
    return news_.wait_for(lock, bound, [&] { return claim(counts_); });
  }

 private:
  struct token {
    int family = 0;
    std::string client{};
    std::string scope{};
    bool used = false;
  };
  struct code {
    token of{};
    std::string challenge{};
    std::string redirect{};
  };

  void serve(scripted_connection& with) {
    while (const auto asked = with.request()) {
      const fake_response said = answer(*asked);
      if (said.how == fake_response::ending::silence) return with.hang();
      if (said.how == fake_response::ending::reset) return with.reset();
      with.reply(said.status, said.type, said.body, said.fields);
    }
  }

  fake_response answer(const received_request& asked) {
    const std::size_t begin = asked.head.find(' ') + 1;
    const std::string target = asked.head.substr(begin, asked.head.find(' ', begin) - begin);
    const std::string path = target.substr(0, target.find('?'));
    const std::string query = path.size() == target.size() ? std::string{} : target.substr(path.size() + 1);
    const usual otherwise = [&] {
      const std::scoped_lock lock{guard_};
      const fake_response said = own_answer(asked, path, query);
      news_.notify_all();
      return said;
    };
    std::shared_ptr<const instead> other;
    {
      const std::scoped_lock lock{guard_};
      if (const auto found = replaced_.find(path); found != replaced_.end()) other = found->second;
    }
    return other ? (*other)(asked, otherwise) : otherwise();
  }

  fake_response own_answer(const received_request& asked, const std::string& path, const std::string& query) {
    if (path == options_.path) return mcp(asked);
    if (path == "/.well-known/oauth-protected-resource" + options_.path) return resource_metadata();
    if (options_.whole_origin && path == "/.well-known/oauth-protected-resource") return resource_metadata();
    if (path == "/.well-known/oauth-authorization-server") return authorization_server_metadata();
    if (path == "/register") return registration(asked);
    if (path == "/authorize") return authorization(parse_form(query));
    if (path == "/token") return token_answer(asked);
    if (path == "/revoke") return revocation(asked);
    return {.status = "404 Not Found", .body = "{}"};
  }

  static fake_response json(const boost::json::object& what, std::string status = "200 OK") {
    return {.status = std::move(status), .body = boost::json::serialize(what)};
  }

  [[nodiscard]] fake_response resource_metadata() const {
    return json({{"resource", options_.whole_origin ? issuer() : resource()},
                 {"authorization_servers", boost::json::array{moved_to_ == nullptr ? issuer() : moved_to_->issuer()}},
                 {"scopes_supported", boost::json::array{options_.scope, options_.admin}}});
  }
  [[nodiscard]] fake_response authorization_server_metadata() const {
    return json({{"issuer", issuer()},
                 {"authorization_endpoint", issuer() + "/authorize"},
                 {"token_endpoint", issuer() + "/token"},
                 {"registration_endpoint", issuer() + "/register"},
                 {"revocation_endpoint", issuer() + "/revoke"},
                 {"response_types_supported", boost::json::array{"code"}},
                 {"code_challenge_methods_supported", boost::json::array{"S256"}},
                 {"token_endpoint_auth_methods_supported", boost::json::array{options_.method}},
                 {"authorization_response_iss_parameter_supported", true}});
  }

  fake_response registration(const received_request& asked) {
    boost::system::error_code bad;
    boost::json::value given = boost::json::parse(asked.body, bad);
    if (bad || !given.is_object()) return refusal("invalid_client_metadata");
    boost::json::object made = given.as_object();
    const std::string id = "client-" + std::to_string(++counts_.registrations);
    std::string& key = clients_[id];
    if (options_.method != "none") key = "key-of-" + base64url(random_bytes(12));
    made["client_id"] = id;
    made["token_endpoint_auth_method"] = options_.method;
    if (!key.empty()) made["client_secret"] = key;
    return json(made, "201 Created");
  }

  /// The user consents at once.
  fake_response authorization(form_fields asked) {
    const bool wrong = !clients_.contains(asked["client_id"]) || asked["response_type"] != "code" ||
                       asked["code_challenge_method"] != "S256" || asked["redirect_uri"].empty();
    if (wrong) return refusal("invalid_request");
    if (asked["resource"] != granted_for()) return refusal("invalid_target");
    ++counts_.authorizations;
    const std::string made = "code-" + base64url(random_bytes(12));
    codes_[made] = {.of = {.family = ++families_, .client = asked["client_id"], .scope = asked["scope"]},
                    .challenge = asked["code_challenge"],
                    .redirect = asked["redirect_uri"]};
    const std::string back = asked["redirect_uri"] + "?code=" + made + "&state=" + percent_encoded(asked["state"]) +
                             "&iss=" + percent_encoded(issuer());
    return {.status = "302 Found", .body = {}, .fields = "Location: " + back + "\r\n"};
  }

  fake_response refusal(const std::string& code, std::string status = "400 Bad Request") {
    ++counts_.refusals;
    return json({{"error", code}}, std::move(status));
  }

  /// The client named in the form or the Authorization field, if it authenticated.
  [[nodiscard]] std::optional<std::string> find_client(const received_request& asked,
                                                       form_fields& url_encoded_form) const {
    std::string id = url_encoded_form["client_id"];
    std::string key = url_encoded_form["client_secret"];
    if (const std::string basic = asked.field("Authorization"); basic.starts_with("Basic ")) {
      const std::string both = from_base64(basic.substr(6)).value_or(":");
      id = form_decoded(both.substr(0, both.find(':')));
      key = form_decoded(both.substr(both.find(':') + 1));
    }
    const auto known = clients_.find(id);
    if (known == clients_.end() || known->second != key) return std::nullopt;
    return id;
  }

  fake_response token_answer(const received_request& asked) {
    form_fields url_encoded_form = parse_form(asked.body);
    const auto client = find_client(asked, url_encoded_form);
    if (!client) return refusal("invalid_client", "401 Unauthorized");
    if (url_encoded_form["resource"] != granted_for()) return refusal("invalid_target");
    if (url_encoded_form["grant_type"] == "authorization_code") return redeemed(url_encoded_form, *client);
    if (url_encoded_form["grant_type"] == "refresh_token") return refreshed(url_encoded_form, *client);
    if (url_encoded_form["grant_type"] != "client_credentials") return refusal("unsupported_grant_type");
    return granted({.family = ++families_, .client = *client, .scope = url_encoded_form["scope"]});
  }
  fake_response redeemed(form_fields& url_encoded_form, const std::string& client) {
    const auto found = codes_.find(url_encoded_form["code"]);
    if (found == codes_.end()) return refusal("invalid_grant");
    const code it = found->second;
    codes_.erase(found);
    const bool right = it.of.client == client && it.redirect == url_encoded_form["redirect_uri"] &&
                       it.challenge == pkce_challenge(url_encoded_form["code_verifier"]);
    if (!right) return refusal("invalid_grant");
    ++counts_.codes;
    return granted(it.of);
  }
  fake_response refreshed(form_fields& url_encoded_form, const std::string& client) {
    const auto found = refresh_.find(url_encoded_form["refresh_token"]);
    if (found == refresh_.end() || found->second.client != client) return refusal("invalid_grant");
    token& it = found->second;
    if (it.used) {
      ++counts_.replays;
      if (options_.revokes_families) end_family(it.family);
    }
    if (it.used || revoked_.contains(it.family)) return refusal("invalid_grant");
    ++counts_.refreshes;
    it.used = options_.rotates;
    return granted({.family = it.family, .client = client, .scope = it.scope});
  }
  fake_response revocation(const received_request& asked) {
    form_fields url_encoded_form = parse_form(asked.body);
    if (!find_client(asked, url_encoded_form)) return refusal("invalid_client", "401 Unauthorized");
    ++counts_.revocations;
    if (const auto it = refresh_.find(url_encoded_form["token"]); it != refresh_.end()) end_family(it->second.family);
    access_.erase(url_encoded_form["token"]);
    return {.body = {}};
  }
  void end_family(int family) {
    revoked_.insert(family);
    std::erase_if(access_, [&](const auto& one) { return one.second.family == family; });
  }

  fake_tokens grant(const token& like, bool with_refresh) {
    fake_tokens made{.access = "access-" + base64url(random_bytes(18)), .scope = like.scope};
    access_[made.access] = like;
    if (!with_refresh) return made;
    made.refresh = "refresh-" + base64url(random_bytes(18));
    refresh_[made.refresh] = like;
    return made;
  }
  fake_response granted(const token& like) {
    const auto is_kin = [&](const auto& one) { return one.second.family == like.family; };
    // Without rotation a refresh token is issued once, with the first access token.
    const bool has_one = !options_.rotates && std::any_of(refresh_.begin(), refresh_.end(), is_kin);
    const fake_tokens made = grant(like, options_.gives_refresh && !has_one);
    std::string body = R"({"access_token":")" + made.access + R"(","token_type":"Bearer")";
    if (!options_.expires_in.empty()) body += R"(,"expires_in":)" + options_.expires_in;
    if (!like.scope.empty()) body += R"(,"scope":")" + like.scope + '"';
    if (!made.refresh.empty()) body += R"(,"refresh_token":")" + made.refresh + '"';
    return {.body = body + '}', .fields = "Cache-Control: no-store\r\n"};
  }

  fake_response denial(std::string status, const std::string& more, const std::string& scope) {
    ++counts_.denials;
    return {.status = std::move(status),
            .body = R"({"error":"see the header"})",
            .fields = "WWW-Authenticate: Bearer " + more + "scope=\"" + scope + "\", resource_metadata=\"" + issuer() +
                      "/.well-known/oauth-protected-resource" + options_.path + "\"\r\n"};
  }

  /// nullopt if the token is not valid.
  [[nodiscard]] std::optional<std::string> scope_of(const std::string& token) const {
    if (moved_to_ != nullptr) {
      const std::scoped_lock lock{moved_to_->guard_};
      return moved_to_->scope_of(token);
    }
    const auto known = access_.find(token);
    return known == access_.end() ? std::nullopt : std::optional{known->second.scope};
  }

  /// A legacy server without sessions, with the tools `echo` and `admin`.
  fake_response mcp(const received_request& asked) {
    const std::string said = asked.field("Authorization");
    const auto scope = said.starts_with("Bearer ") ? scope_of(said.substr(7)) : std::nullopt;
    if (!scope) return denial("401 Unauthorized", said.empty() ? "" : "error=\"invalid_token\", ", options_.scope);
    if (!asked.is("POST")) return {.status = asked.is("GET") ? "405 Method Not Allowed" : "200 OK", .body = {}};
    if (asked.body.find(R"("id":)") == std::string::npos) return {.status = "202 Accepted", .body = {}};
    if (asked.asks("initialize"))
      return result_of(asked, R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},)"
                              R"("serverInfo":{"name":"fake","version":"1"}})");
    if (asked.asks("tools/list"))
      return result_of(asked, R"({"tools":[{"name":"echo","inputSchema":{"type":"object"}},)"
                              R"({"name":"admin","inputSchema":{"type":"object"}}]})");
    if (asked.asks("ping")) return result_of(asked, "{}");
    if (!asked.asks("tools/call")) return {.status = "400 Bad Request", .body = "what?", .type = "text/plain"};
    const bool admin = asked.body.find(R"("name":"admin")") != std::string::npos;
    const std::string has = ' ' + *scope + ' ';
    if (admin && has.find(' ' + options_.admin + ' ') == std::string::npos)
      return denial("403 Forbidden", "error=\"insufficient_scope\", ", options_.admin);
    ++counts_.calls;
    const std::size_t begin = asked.body.find(R"("arguments":)");
    if (begin != std::string::npos) callers_.insert(asked.body.substr(begin, asked.body.find('}', begin) - begin));
    return result_of(asked, admin ? R"({"content":[{"type":"text","text":"done"}]})"
                                  : R"({"content":[{"type":"text","text":"ok"}]})");
  }
  static fake_response result_of(const received_request& asked, std::string_view result) {
    return {.body = R"({"jsonrpc":"2.0","id":)" + asked.id() + R"(,"result":)" + std::string{result} + '}'};
  }

  fake_authorization_options options_;
  mutable std::mutex guard_;
  std::condition_variable news_;
  std::map<std::string, std::shared_ptr<const instead>> replaced_;
  std::map<std::string, std::string> clients_;  // with their secrets
  std::map<std::string, code> codes_;
  std::map<std::string, token> access_;
  std::map<std::string, token> refresh_;
  std::set<int> revoked_;
  std::set<std::string> callers_;
  int families_ = 0;
  fake_counts counts_;
  fake_authorization_server* moved_to_ = nullptr;
  scripted_http_server http_server_;  // last: its threads use the members above
};

}  // namespace hawser::testing

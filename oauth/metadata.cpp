// SPDX-License-Identifier: MIT
#include "metadata.hpp"

#include <algorithm>

#include "display_text.hpp"
#include "json_fields.hpp"
#include "scopes.hpp"

namespace hawser {

namespace {

constexpr std::size_t max_servers = 16;
constexpr std::size_t max_scope_bytes = std::size_t{4} << 10;  // it becomes part of a URL

struct well_known {
  std::string path;   // without a trailing slash
  std::string query;  // with its question mark
};

well_known parts_of(const http_url& url) {
  const std::size_t query = std::min(url.target.find('?'), url.target.size());
  well_known parts{.path = url.target.substr(0, query), .query = url.target.substr(query)};
  if (parts.path.ends_with('/')) parts.path.pop_back();
  return parts;
}

bool has(const std::vector<std::string>& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// RFC 6749, "Access Token Scope".
std::vector<std::string> only_scopes(std::optional<std::vector<std::string>> said) {
  std::vector<std::string> kept = std::move(said).value_or(std::vector<std::string>{});
  std::erase_if(kept, [](const std::string& one) { return !is_scope_token(one); });
  return kept;
}

std::optional<std::string> joined(const std::vector<std::string>& scopes) {
  std::string text;
  for (const std::string& one : scopes) {
    if (text.size() + one.size() >= max_scope_bytes) break;
    if (!text.empty()) text += ' ';
    text += one;
  }
  if (text.empty()) return std::nullopt;
  return text;
}

// "Continue on 4xx": there is no document. Some gateways answer 502 for unserved paths.
bool says_nothing_there(int status) noexcept { return (status >= 400 && status < 500) || status == 502; }

struct document {
  boost::json::object body;
  std::string document_url;
};

using places = std::vector<http_url>;

// Fetches the first document that exists. nullopt if there is none; then `asked` lists the URLs with their status.
task<result<std::optional<document>>> first_document(oauth_http& over, places all, std::string* asked) {
  for (const http_url& place : all) {
    auto answer = co_await over.get(place);
    if (!answer) co_return answer.error();
    const std::string status = "status " + std::to_string(answer->status);
    if (says_nothing_there(answer->status)) {
      asked->append(asked->empty() ? "" : ", ")
          .append(url_for_message(place))
          .append(" (")
          .append(status)
          .append(1, ')');
      continue;
    }
    if (answer->status != 200)
      co_return error{.code = answer->status >= 500 ? errc::io : errc::protocol,
                      .what = url_for_message(place) + ": there is no metadata to be had: " + status,
                      .native = answer->status};
    if (!answer->is_json)
      co_return error{.code = errc::protocol, .what = url_for_message(place) + ": the metadata " + answer->fault};
    document found{.body = std::move(answer->body), .document_url = url_for_message(place)};
    co_return std::optional<document>{std::move(found)};
  }
  co_return std::optional<document>{};
}

result<resource_metadata> read_resource(const document& from, const http_url& server, const redaction& hidden) {
  const json_fields fields{from.body, from.document_url};
  auto resource = fields.required_text("resource");
  if (!resource) return resource.error();
  if (!covers(*resource, server))
    return fields.field_error("resource", "is \"" + display_text(*resource, hidden) +
                                              "\", which is not the server at " + url_for_message(server) +
                                              "; tokens for that one are not asked for");
  auto servers = fields.texts("authorization_servers");
  if (!servers) return servers.error();
  if (!servers->has_value() || (*servers)->empty()) return fields.field_error("authorization_servers", "names nobody");
  auto scopes = fields.texts("scopes_supported");
  if (!scopes) return scopes.error();
  resource_metadata made{.resource = *std::move(resource),
                         .authorization_servers = **std::move(servers),
                         .scopes = joined(only_scopes(*std::move(scopes))),
                         .document_url = from.document_url};
  if (made.authorization_servers.size() > max_servers) made.authorization_servers.resize(max_servers);
  return made;
}

// E02: rejected before it is contacted.
result<std::string> read_endpoint(const json_fields& fields, std::string_view name) {
  auto text = fields.text(name);
  if (!text) return text.error();
  if (!text->has_value()) return std::string{};
  if (auto url = parse_untrusted_url(**text, name); !url)
    return fields.field_error(name, "is refused: " + url.error().what);
  return **std::move(text);
}

// PKCE, "MUST verify support": metadata without it is refused, even if the server would support it.
result<void> check_code_flow(const json_fields& fields, metadata_purpose need) {
  if (need == metadata_purpose::client_credentials) return {};
  auto types = fields.texts("response_types_supported");
  if (!types) return types.error();
  if (types->has_value() && !has(**types, "code"))
    return fields.field_error("response_types_supported",
                              "does not have \"code\": nobody can log in there by a browser");
  auto proofs = fields.texts("code_challenge_methods_supported");
  if (!proofs) return proofs.error();
  if (!proofs->has_value() && need == metadata_purpose::authorization_code_assumed_pkce) return {};
  if (!proofs->has_value())
    return fields.field_error(
        "code_challenge_methods_supported",
        "is missing, so that a stolen code could be used; if the server does know PKCE with S256, set "
        "\"pkce\": \"assume\" for it");
  if (!has(**proofs, "S256")) return fields.field_error("code_challenge_methods_supported", "does not have \"S256\"");
  return {};
}

result<authorization_server_metadata> read_server(const document& from, std::string_view issuer, metadata_purpose need,
                                                  const redaction& hidden) {
  const json_fields fields{from.body, from.document_url};
  authorization_server_metadata made;
  auto own = fields.required_text("issuer");
  if (!own) return own.error();
  if (!is_same_issuer(*own, issuer))
    return fields.field_error("issuer", "is \"" + display_text(*own, hidden) + "\" and not \"" +
                                            display_text(issuer, hidden) + "\": none of it is used");
  made.issuer = *std::move(own);
  struct endpoint_field {
    std::string_view name;
    std::string authorization_server_metadata::* into;
  };
  for (const endpoint_field& one :
       {endpoint_field{"authorization_endpoint", &authorization_server_metadata::authorization_endpoint},
        endpoint_field{"token_endpoint", &authorization_server_metadata::token_endpoint},
        endpoint_field{"registration_endpoint", &authorization_server_metadata::registration_endpoint},
        endpoint_field{"revocation_endpoint", &authorization_server_metadata::revocation_endpoint}}) {
    auto read = read_endpoint(fields, one.name);
    if (!read) return read.error();
    made.*one.into = *std::move(read);
  }
  if (made.token_endpoint.empty()) return fields.field_error("token_endpoint", "is missing");
  if (made.authorization_endpoint.empty() && need != metadata_purpose::client_credentials)
    return fields.field_error("authorization_endpoint", "is missing");
  if (auto fit = check_code_flow(fields, need); !fit) return fit.error();
  auto methods = fields.texts("token_endpoint_auth_methods_supported");
  if (!methods) return methods.error();
  made.lists_auth_methods = methods->has_value();
  made.auth_methods = (*std::move(methods)).value_or(std::vector<std::string>{});
  auto algorithms = fields.texts("token_endpoint_auth_signing_alg_values_supported");
  if (!algorithms) return algorithms.error();
  made.assertion_algorithms = (*std::move(algorithms)).value_or(std::vector<std::string>{});
  auto scopes = fields.texts("scopes_supported");
  if (!scopes) return scopes.error();
  made.scopes = only_scopes(*std::move(scopes));
  made.supports_client_documents = fields.is_true("client_id_metadata_document_supported");
  made.sends_iss = fields.is_true("authorization_response_iss_parameter_supported");
  return made;
}

result<places> parsed(const std::vector<std::string>& urls) {
  places all;
  for (const std::string& one : urls) {
    auto url = http_url::parse(one);
    if (!url) return url.error();
    all.push_back(*std::move(url));
  }
  return all;
}

}  // namespace

std::vector<std::string> resource_metadata_urls(const http_url& server) {
  const std::string root = server.origin() + "/.well-known/oauth-protected-resource";
  const well_known parts = parts_of(server);
  if (parts.path.empty()) return {root};
  return {root + parts.path + parts.query, root};
}

std::vector<std::string> authorization_server_metadata_urls(const http_url& issuer) {
  const std::string origin = issuer.origin();
  const std::string path = parts_of(issuer).path;
  std::vector<std::string> all{origin + "/.well-known/oauth-authorization-server" + path,
                               origin + "/.well-known/openid-configuration" + path};
  if (!path.empty()) all.push_back(origin + path + "/.well-known/openid-configuration");
  return all;
}

bool covers(std::string_view resource, const http_url& server) {
  if (resource.find('#') != std::string_view::npos) return false;  // RFC 8707: no fragment
  const auto url = http_url::parse(resource);
  if (!url || !same_origin(*url, server)) return false;
  const well_known about = parts_of(*url);
  const well_known ours = parts_of(server);
  if (!about.query.empty() && about.query != ours.query) return false;
  return ours.path == about.path || ours.path.starts_with(about.path + '/');
}

bool is_above_server(std::string_view resource, const http_url& server) {
  if (!covers(resource, server)) return false;
  const auto url = http_url::parse(resource);
  return url && parts_of(*url).path != parts_of(server).path;
}

bool is_same_issuer(std::string_view a, std::string_view b) noexcept {
  if (a.size() > b.size()) std::swap(a, b);
  return a == b || (b.size() == a.size() + 1 && b.ends_with('/') && b.starts_with(a));
}

task<result<std::optional<resource_metadata>>> fetch_resource_metadata(oauth_http& over, http_url server,
                                                                       std::string resource_metadata_url) {
  auto all = parsed(resource_metadata_urls(server));
  if (!all) co_return all.error();
  if (!resource_metadata_url.empty()) {
    auto hint = http_url::parse(resource_metadata_url);
    // A URL on the server's own origin is as trusted as the server's URL.
    if (!hint || !same_origin(*hint, server))
      hint = parse_untrusted_url(resource_metadata_url, "the challenge's resource_metadata");
    if (!hint) co_return hint.error();
    std::erase(*all, *hint);
    all->insert(all->begin(), *std::move(hint));
  }
  std::string asked;
  auto found = co_await first_document(over, *std::move(all), &asked);
  if (!found) co_return found.error();
  if (!found->has_value()) co_return std::optional<resource_metadata>{};
  auto made = read_resource(**found, server, over.redactions());
  if (!made) co_return made.error();
  co_return std::optional<resource_metadata>{*std::move(made)};
}

task<result<authorization_server_metadata>> fetch_authorization_server_metadata(oauth_http& over, std::string issuer,
                                                                                metadata_purpose need) {
  auto url = parse_untrusted_url(issuer, "the authorization server");
  if (!url) co_return url.error();
  if (url->target.find('?') != std::string::npos)
    co_return error{.code = errc::protocol,
                    .what = "the authorization server: url \"" + url_for_message(*url) + "\": an issuer has no query"};
  auto all = parsed(authorization_server_metadata_urls(*url));
  if (!all) co_return all.error();
  std::string asked;
  auto found = co_await first_document(over, *std::move(all), &asked);
  if (!found) co_return found.error();
  if (!found->has_value())
    co_return error{.code = errc::protocol,
                    .what = "the authorization server \"" + display_text(issuer, over.redactions()) +
                            "\" has no metadata: asked " + asked};
  co_return read_server(**found, issuer, need, over.redactions());
}

task<result<authorization_server_metadata>> fetch_legacy_server_metadata(oauth_http& over, http_url server,
                                                                         metadata_purpose need) {
  const std::string origin = server.origin();
  auto root = parse_untrusted_url(origin, "the server as its own authorization server");
  if (!root) co_return root.error();
  auto all = parsed({authorization_server_metadata_urls(*root).front()});
  if (!all) co_return all.error();
  std::string asked;
  auto found = co_await first_document(over, *std::move(all), &asked);
  if (!found) co_return found.error();
  if (found->has_value()) co_return read_server(**found, origin, need, over.redactions());
  authorization_server_metadata defaults{.issuer = origin, .has_document = false};
  defaults.authorization_endpoint = origin + "/authorize";
  defaults.token_endpoint = origin + "/token";
  defaults.registration_endpoint = origin + "/register";
  co_return defaults;
}

}  // namespace hawser

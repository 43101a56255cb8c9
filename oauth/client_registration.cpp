// SPDX-License-Identifier: MIT
#include "client_registration.hpp"

#include <algorithm>

#include "display_text.hpp"
#include "json_fields.hpp"

namespace hawser {

namespace {

constexpr std::size_t max_id = std::size_t{2} << 10;
constexpr std::size_t max_key = std::size_t{4} << 10;
constexpr std::string_view by_hand = "; register a client there by hand and configure its client_id";

// Methods that a program on a user's machine can use, the simplest first. A secret that every installation shares would
// not be one.
std::string wanted_method(const authorization_server_metadata& at) {
  if (!at.lists_auth_methods) return "none";
  for (const char* one : {"none", "client_secret_basic", "client_secret_post"})
    if (std::find(at.auth_methods.begin(), at.auth_methods.end(), one) != at.auth_methods.end()) return one;
  return {};
}

bool on_this_machine(const http_url& url) {
  if (url.tls) return false;
  const auto literal = ip_address::parse(url.host);
  return url.host == "localhost" || (literal && zone_of(*literal) == network_zone::loopback);
}

// OpenID Connect Registration: only https and not loopback is "web"; custom schemes are native, too.
std::string_view application_type(std::string_view redirect_uri) {
  const auto url = http_url::parse(redirect_uri);
  return url && !on_this_machine(*url) ? "web" : "native";
}

// RFC 8252, "Loopback Interface Redirection": any port matches.
bool same_redirect(std::string_view ours, std::string_view theirs) {
  if (ours == theirs) return true;
  const auto a = http_url::parse(ours);
  const auto b = http_url::parse(theirs);
  return a && b && on_this_machine(*a) && on_this_machine(*b) && a->host == b->host && a->target == b->target;
}

secret request_text(const registration_request& what, std::string_view method) {
  boost::json::array grants{"authorization_code"};
  if (what.refresh) grants.emplace_back("refresh_token");
  // No `scope`: some servers would later refuse every other scope, and so every step-up.
  const boost::json::object all{
      {"client_name", what.client_name},      {"redirect_uris", boost::json::array{what.redirect_uri}},
      {"grant_types", std::move(grants)},     {"response_types", boost::json::array{"code"}},
      {"token_endpoint_auth_method", method}, {"application_type", application_type(what.redirect_uri)}};
  return secret{boost::json::serialize(all)};
}

error refusal(std::string_view where, const oauth_response& answer, const redaction& hidden) {
  const json_fields fields{answer.body, where};
  const auto code = fields.text("error");
  const auto description = fields.text("error_description");
  std::string what{where};
  if (answer.status >= 500 || answer.status == 429) {
    what += ": nobody is registered just now: status " + std::to_string(answer.status);
    return error{.code = errc::io, .what = std::move(what), .native = answer.status};
  }
  what += ": the registration of a client was refused: status " + std::to_string(answer.status);
  if (code && code->has_value()) what += ", " + display_text(**code, hidden, 64);
  if (description && description->has_value()) what += ": " + display_text(**description, hidden);
  return error{.code = errc::auth, .what = what.append(by_hand), .native = answer.status};
}

result<void> check_redirect(const json_fields& fields, const registration_request& what) {
  auto theirs = fields.texts("redirect_uris");
  if (!theirs) return theirs.error();
  if (!theirs->has_value()) return {};  // many servers do not repeat it
  const auto ours = [&](const std::string& one) { return same_redirect(what.redirect_uri, one); };
  if (std::any_of((*theirs)->begin(), (*theirs)->end(), ours)) return {};
  return fields.field_error("redirect_uris", "does not have the one that was asked for: a login would go elsewhere");
}

// The secret, its method and its expiry, as decided by the server, which may differ from the request.
result<void> read_proof(const json_fields& fields, const registration_request& what, client_identity& into,
                        const redaction& hidden) {
  const boost::json::value* key = fields.find("client_secret");
  if (key != nullptr && (!key->is_string() || key->get_string().size() > max_key))
    return fields.field_error("client_secret", "is no text, or longer than 4 KiB");
  auto method = fields.text("token_endpoint_auth_method");
  if (!method) return method.error();
  if (key != nullptr) into.client_secret = secret{std::string_view{key->get_string()}};
  if (method->has_value()) into.method = **std::move(method);
  if (into.client_secret.empty()) {
    if (!into.method.empty() && into.method != "none")
      return fields.field_error("client_secret",
                                "is missing, but \"" + display_text(into.method, hidden, 64) + "\" is to be used");
    into.method = "none";
    return {};
  }
  if (into.method == "none") {
    into.client_secret = secret{};
    return {};
  }
  if (!into.method.empty() && into.method != "client_secret_basic" && into.method != "client_secret_post")
    return fields.field_error("token_endpoint_auth_method",
                              "is \"" + display_text(into.method, hidden, 64) + "\", which was not asked for");
  into.expires_at = std::max<std::int64_t>(0, fields.number("client_secret_expires_at").value_or(0));
  if (into.expires_at != 0 && into.expires_at <= what.now())
    return fields.field_error("client_secret_expires_at", "lies in the past: the secret is of no use");
  return {};
}

result<client_identity> read_identity(const json_fields& fields, const registration_request& what,
                                      const redaction& hidden) {
  auto id = fields.required_text("client_id");
  if (!id) return id.error();
  const bool plain = std::all_of(id->begin(), id->end(), [](char c) { return c >= 0x20 && c < 0x7F; });
  if (!plain || id->size() > max_id) return fields.field_error("client_id", "is longer than 2 KiB or not plain text");
  client_identity made{.id = *std::move(id), .redirect_uri = what.redirect_uri};
  if (auto same = check_redirect(fields, what); !same) return same.error();
  if (auto read = read_proof(fields, what, made, hidden); !read) return read.error();
  return made;
}

}  // namespace

task<result<client_identity>> register_client(oauth_http& over, authorization_server_metadata at,
                                              registration_request what) {
  if (at.registration_endpoint.empty())
    co_return error{.code = errc::auth,
                    .what = "the authorization server \"" + display_text(at.issuer, over.redactions()) +
                            "\" registers nobody by itself" + std::string{by_hand}};
  auto to = parse_untrusted_url(at.registration_endpoint, "the registration endpoint");
  if (!to) co_return to.error();
  const std::string method = wanted_method(at);
  if (method.empty())
    co_return error{.code = errc::auth,
                    .what = "the authorization server \"" + display_text(at.issuer, over.redactions()) +
                            "\" wants a proof from its clients that no newcomer has" + std::string{by_hand}};
  auto answer = co_await over.post_json(*to, request_text(what, method));
  if (!answer) co_return answer.error();
  const std::string where = url_for_message(*to);
  const json_fields fields{answer->body, where};
  const bool accepted = answer->status == 200 || answer->status == 201;
  if (!accepted || fields.find("error") != nullptr) co_return refusal(where, *answer, over.redactions());
  if (!answer->is_json)
    co_return error{.code = errc::protocol, .what = where + ": the answer to a registration " + answer->fault};
  co_return read_identity(fields, what, over.redactions());
}

}  // namespace hawser

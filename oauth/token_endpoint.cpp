// SPDX-License-Identifier: MIT
#include "token_endpoint.hpp"

#include <algorithm>

#include "../transports/http/http_fields.hpp"
#include "display_text.hpp"
#include "json_fields.hpp"

namespace hawser {

namespace {

constexpr std::size_t max_token = std::size_t{32} << 10;
constexpr std::size_t max_scope = std::size_t{32} << 10;              // a longer one is as good as none
constexpr std::int64_t longest_life = std::int64_t{366} * 24 * 3600;  // seconds; nobody can promise more

// The token must not end its header field (RFC 6749, "access_token" syntax: VSCHAR).
bool fits_a_header(std::string_view token) noexcept {
  return std::all_of(token.begin(), token.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

void wipe(boost::json::object& body, std::string_view name) noexcept {
  boost::json::value* found = body.if_contains(boost::json::string_view{name.data(), name.size()});
  if (found != nullptr && found->is_string()) cleanse(found->get_string().data(), found->get_string().size());
}

// Not read with text(): that would make another copy to wipe.
result<secret> read_token(const json_fields& fields, std::string_view name) {
  const boost::json::value* found = fields.find(name);
  if (found == nullptr) return secret{};
  if (!found->is_string()) return fields.field_error(name, "is no text");
  if (found->get_string().size() > max_token) return fields.field_error(name, "is longer than 32 KiB");
  return secret{std::string_view{found->get_string()}};
}

// E11: a missing, zero, negative or invalid expires_in means that the lifetime is unknown until a 401.
std::int64_t read_expiry(const json_fields& fields, std::int64_t now) noexcept {
  const std::int64_t lifetime = fields.number("expires_in").value_or(0);
  return lifetime > 0 ? now + std::min(lifetime, longest_life) : 0;
}

std::string read_scope(const json_fields& fields) {
  const boost::json::value* found = fields.find("scope");
  if (found == nullptr || !found->is_string()) return {};
  const std::string_view text{found->get_string()};
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
  return plain && text.size() <= max_scope ? std::string{text} : std::string{};
}

result<token_set> read_tokens(const json_fields& fields, std::int64_t now, const redaction& hidden) {
  token_set made;
  auto access = read_token(fields, "access_token");
  if (!access) return access.error();
  if (access->empty()) return fields.field_error("access_token", "is missing");
  if (!fits_a_header(access->reveal())) return fields.field_error("access_token", "has characters that no token has");
  auto type = fields.text("token_type");
  if (!type) return type.error();
  if (type->has_value() && !equal_ignoring_case(**type, "bearer"))
    return fields.field_error("token_type",
                              "is \"" + display_text(**type, hidden, 40) + "\"; only Bearer is supported");
  auto refresh = read_token(fields, "refresh_token");
  if (!refresh) return refresh.error();
  made.access = *std::move(access);
  made.refresh = *std::move(refresh);
  made.scope = read_scope(fields);
  made.obtained_at = now;
  made.expires_at = read_expiry(fields, now);
  return made;
}

bool is_temporary_failure(int status, std::string_view code) noexcept {
  return status >= 500 || status == 408 || status == 429 || code == "temporarily_unavailable" || code == "server_error";
}

error response_error(std::string_view where, const oauth_response& answer, std::string_view code) {
  const bool temporary = is_temporary_failure(answer.status, code);
  std::string what{where};
  what += temporary ? ": the server cannot answer just now: status " : ": the answer cannot be used: status ";
  what += std::to_string(answer.status);
  if (!code.empty()) what.append(", ").append(code);
  if (!answer.is_json && !temporary) what.append("; it ").append(answer.fault);
  return error{.code = temporary ? errc::io : errc::protocol,
               .what = std::move(what),
               .native = answer.status,
               .executed = execution::unknown};
}

struct oauth_error {
  std::string code{};
  std::string description{};
};

oauth_error read_oauth_error(const boost::json::object& body, const redaction& hidden) {
  const json_fields fields{body, ""};
  const auto code = fields.text("error");
  const auto description = fields.text("error_description");
  oauth_error said;
  if (code && code->has_value()) said.code = display_text(**code, hidden, 64);
  if (description && description->has_value()) said.description = display_text(**description, hidden);
  return said;
}

// Errors come with 400 or 401, and from some servers with 200.
result<token_response> read_outcome(std::string_view where, oauth_response& answer, std::int64_t now,
                                    const redaction& hidden) {
  const oauth_error said = read_oauth_error(answer.body, hidden);
  if (is_temporary_failure(answer.status, said.code)) return response_error(where, answer, said.code);
  if (!said.code.empty()) return token_response{.error_code = said.code, .error_description = said.description};
  if (!answer.is_json || answer.status < 200 || answer.status >= 300) return response_error(where, answer, "");
  auto tokens = read_tokens(json_fields{answer.body, where}, now, hidden);
  for (const char* name : {"access_token", "refresh_token", "id_token"}) wipe(answer.body, name);
  if (tokens) return token_response{.tokens = *std::move(tokens)};
  error why = tokens.error();
  why.executed = execution::unknown;
  return why;
}

bool is_lost_response(const error& why) noexcept {
  return why.executed == execution::unknown && (why.code == errc::closed || why.code == errc::io);
}

// Authenticates anew for each attempt: an assertion may be used only once.
task<result<oauth_response>> post(oauth_http& over, http_url to, const token_endpoint_context& at,
                                  const client_identity& who, const url_encoded_form& what) {
  url_encoded_form whole;
  whole.add_all(what).add_unless_empty("resource", at.resource);
  auto fields = authenticate_client(who, at, whole);
  if (!fields) co_return fields.error();
  co_return co_await over.post_form(std::move(to), whole.to_secret(), *std::move(fields));
}

enum class attempts : std::uint8_t { one, two };

task<result<token_response>> request_token(oauth_http& over, const token_endpoint_context& at,
                                           const client_identity& who, const url_encoded_form& what, attempts most) {
  auto to = parse_untrusted_url(at.endpoint, "the token endpoint");
  if (!to) co_return to.error();
  auto answer = co_await post(over, *to, at, who, what);
  const bool again = !answer && is_lost_response(answer.error()) && most == attempts::two;
  if (again) answer = co_await post(over, *to, at, who, what);
  if (!answer) co_return answer.error();
  const std::string where = url_for_message(*to);
  auto outcome = read_outcome(where, *answer, at.now(), over.redactions());
  if (outcome) outcome->after_lost_response = again;
  co_return outcome;
}

}  // namespace

task<result<token_response>> exchange_code(oauth_http& over, token_endpoint_context at, client_identity who,
                                           secret code, secret verifier, std::string redirect_uri) {
  url_encoded_form what;
  what.add("grant_type", "authorization_code").add("code", code.reveal()).add("redirect_uri", redirect_uri);
  what.add("code_verifier", verifier.reveal());
  co_return co_await request_token(over, at, who, what, attempts::one);
}

task<result<token_response>> refresh_tokens(oauth_http& over, token_endpoint_context at, client_identity who,
                                            secret refresh) {
  url_encoded_form what;
  what.add("grant_type", "refresh_token").add("refresh_token", refresh.reveal());
  auto outcome = co_await request_token(over, at, who, what, attempts::two);
  const bool granted = outcome && outcome->error_code.empty();
  if (granted && outcome->tokens.refresh.empty()) outcome->tokens.refresh = std::move(refresh);
  co_return outcome;
}

task<result<token_response>> request_client_credentials(oauth_http& over, token_endpoint_context at,
                                                        client_identity who, std::string scope) {
  url_encoded_form what;
  what.add("grant_type", "client_credentials").add_unless_empty("scope", scope);
  co_return co_await request_token(over, at, who, what, attempts::two);
}

task<result<void>> revoke_token(oauth_http& over, token_endpoint_context at, client_identity who, secret token,
                                std::string hint) {
  auto to = parse_untrusted_url(at.endpoint, "the revocation endpoint");
  if (!to) co_return to.error();
  url_encoded_form what;
  what.add("token", token.reveal()).add_unless_empty("token_type_hint", hint);
  at.resource.clear();  // revocation does not depend on the resource
  auto answer = co_await post(over, *to, at, who, what);
  if (!answer) co_return answer.error();
  if (answer->status >= 200 && answer->status < 300) co_return {};
  const oauth_error said = read_oauth_error(answer->body, over.redactions());
  error why = response_error(url_for_message(*to), *answer, said.code);
  if (why.code != errc::io && !said.description.empty()) why.what += ": " + said.description;
  co_return why;
}

}  // namespace hawser

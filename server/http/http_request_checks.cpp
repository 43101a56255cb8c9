// SPDX-License-Identifier: MIT
#include "http_request_checks.hpp"

#include <algorithm>

#include "../../transports/http/http_url.hpp"
#include "../../transports/http/network_zone.hpp"
#include "../../transports/json/json_text.hpp"
#include "../../transports/json/object_writer.hpp"
#include "../../transports/jsonrpc/protocol_table.hpp"
#include "../../transports/streamable_http/mcp_fields.hpp"
#include "../client_description.hpp"

namespace hawser {

namespace {

namespace header = protocol::header;
namespace method = protocol::method;

// Whether the origin is just a scheme and an authority and names this machine.
bool is_local(const std::string& origin) {
  const std::size_t authority = origin.find("://");
  if (authority == std::string::npos || origin.find_first_of("/?#@", authority + 3) != std::string::npos) return false;
  const auto url = http_url::parse(origin);
  if (!url) return false;
  const auto address = ip_address::parse(url->host);
  return url->host == "localhost" || (address && zone_of(*address) == network_zone::loopback);
}

http_refusal refusal_of(const error& why) { return {.code = why.native, .what = why.what, .data = why.data}; }

http_refusal mismatch(std::string_view field, std::string_view what) {
  return {.code = protocol::code::header_mismatch,
          .what = "the header field " + std::string{field} + ' ' + std::string{what}};
}

std::optional<http_refusal> differs(const http_fields& fields, std::string_view name, std::string_view expected) {
  const auto value = single_field(fields, name);
  if (!value) return mismatch(name, fields.count(name) == 0 ? "is missing" : "stands there more than once");
  if (decode_field_value(*value) != expected) return mismatch(name, "does not say what the body says");
  return std::nullopt;
}

std::string_view version_in(std::string_view params) {
  return find_member(find_member(params, protocol::meta::key), protocol::meta::protocol_version);
}

bool serves(const server_session_options& serving, std::string_view revision) {
  return std::find(serving.revisions.begin(), serving.revisions.end(), revision) != serving.revisions.end();
}

std::string_view trimmed(std::string_view text) noexcept {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  return text;
}

}  // namespace

std::string http_refusal::body(std::string_view id) const {
  object_writer inside;
  inside.member("code", std::to_string(code)).text("message", what);
  if (!data.empty()) inside.member("data", data);
  object_writer message;
  message.text("jsonrpc", "2.0");
  if (!id.empty()) message.member("id", id);
  return message.member("error", inside.done()).done();
}

complete_response http_refusal::answer(std::string_view id) const {
  complete_response whole{.status = status, .body = body(id)};
  whole.fields.add("Content-Type", "application/json");
  return whole;
}

void refuse(server_exchange& call, const http_refusal& why, std::string_view id) {
  const complete_response whole = why.answer(id);
  call.reply(whole.status, whole.fields, whole.body);
}

std::optional<http_clients::call> count_call(http_clients& clients, server_exchange& call, const text_digest& client,
                                             std::string_view id) {
  auto begun = clients.begin_call(client);
  if (!begun)
    refuse(call,
           {.status = 429,
            .code = protocol::code::internal_error,
            .what = "too many requests of this client are being answered"},
           id);
  return begun;
}

void accept(server_exchange& call) { call.reply(202, {}, {}); }

std::string canonical_id(const message_view& message) {
  const auto id = request_id::from_json(message.id);
  return id ? id->json() : std::string{};
}

std::optional<std::string_view> single_field(const http_fields& fields, std::string_view name) noexcept {
  if (fields.count(name) != 1) return std::nullopt;
  return fields.find(name);
}

std::optional<http_refusal> check_origin(const http_fields& fields) {
  const auto host = single_field(fields, "Host");
  if (!host || !is_local("http://" + std::string{*host}))
    return http_refusal{.status = 403, .what = "the header field Host does not name this machine"};
  if (fields.count("Origin") == 0) return std::nullopt;
  const auto origin = single_field(fields, "Origin");
  if (origin && is_local(std::string{*origin})) return std::nullopt;
  return http_refusal{.status = 403, .what = "pages of other origins are not served"};
}

bool accepts(const http_fields& fields, std::string_view type) noexcept {
  if (fields.count("Accept") == 0) return true;
  const std::string_view kind = type.substr(0, type.find('/'));
  for (const http_field& field : fields.all()) {
    if (!equal_ignoring_case(field.name, "Accept")) continue;
    std::string_view left = field.value;
    while (!left.empty()) {
      const std::size_t comma = std::min(left.find(','), left.size());
      const std::string_view range = media_type(trimmed(left.substr(0, comma)));
      left.remove_prefix(std::min(comma + 1, left.size()));
      const bool any_of_kind = range.size() == kind.size() + 2 && range.ends_with("/*") &&
                               equal_ignoring_case(range.substr(0, kind.size()), kind);
      if (range == "*/*" || any_of_kind || equal_ignoring_case(range, type)) return true;
    }
  }
  return false;
}

std::optional<http_refusal> check_content_headers(const http_fields& fields) {
  const auto type = single_field(fields, "Content-Type");
  if (!type || !equal_ignoring_case(media_type(*type), "application/json"))
    return http_refusal{.status = 415, .what = "a message comes as Content-Type: application/json"};
  // "Sending Messages to the Server": the client must accept both types because the server chooses between them.
  if (!accepts(fields, "application/json") || !accepts(fields, "text/event-stream"))
    return http_refusal{.status = 406, .what = "Accept must have application/json and text/event-stream"};
  return std::nullopt;
}

// The era is a property of each message, so that legacy and modern clients are served side by side. Same rule as in
// server_session, except that `initialize` with modern `_meta` is not a handshake.
bool is_modern_request(const http_fields& fields, const message_view& message, const server_session_options& serving) {
  if (!serving.serves_modern()) return false;
  if (!serving.serves_legacy()) return true;
  if (!message.params.empty() && !version_in(message.params).empty()) return true;
  if (message.method == method::initialize) return false;
  if (protocol::is_modern_request(message.method)) return true;
  const auto version = fields.find(header::protocol_version);
  return version && protocol::modern(*version);
}

std::optional<http_refusal> check_modern_request(const http_fields& fields, const message_view& message,
                                                 const server_session_options& serving) {
  const std::string_view params = message.params.empty() ? std::string_view{"{}"} : message.params;
  const auto said = text_of(version_in(params));
  if (!said) {
    auto outside = single_field(fields, header::protocol_version);
    std::optional<std::string> requested;
    if (outside) requested = std::string{*outside};
    if (message.method == method::initialize) requested = text_of(find_member(params, "protocolVersion"));
    if (requested && (!serves(serving, *requested) || message.method == method::initialize))
      return refusal_of(unsupported_version(*requested, serving.revisions));
  }
  // Two different versions in one request are an error of their own, whether or not one of them is served.
  if (said && fields.count(header::protocol_version) > 0) {
    if (auto wrong = differs(fields, header::protocol_version, *said)) return wrong;
  }
  if (auto client = read_modern_client(params, serving.revisions); !client) return refusal_of(client.error());
  // Standard header fields: intermediaries that route by these fields must see the values that we serve.
  if (auto wrong = differs(fields, header::protocol_version, *said)) return wrong;
  if (auto wrong = differs(fields, header::method, message.method)) return wrong;
  if (message.method == method::initialize)
    return http_refusal{.status = 404, .code = protocol::code::method_not_found, .what = "no such method: initialize"};
  const std::string_view member = name_member(message.method);
  if (member.empty()) return std::nullopt;
  const auto name = text_of(find_member(params, member));
  if (!name) return std::nullopt;  // the handler reports the missing member
  return differs(fields, header::name, *name);
}

std::optional<http_refusal> check_legacy_version(const http_fields& fields, const server_session_options& serving) {
  if (fields.count(header::protocol_version) == 0) return std::nullopt;
  const auto version = single_field(fields, header::protocol_version);
  if (version && serves(serving, *version) && !protocol::modern(*version)) return std::nullopt;
  return http_refusal{.what = "the header field MCP-Protocol-Version names no revision that sessions here speak"};
}

}  // namespace hawser

// SPDX-License-Identifier: MIT
// Checks of an HTTP request before its message is served: Origin, content type, Accept, and since 2026-07-28 header
// fields that must match the body. Only checks; serves nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "../../transports/http/server/http_server.hpp"
#include "../../transports/http/server/server_exchange.hpp"
#include "../../transports/jsonrpc/message.hpp"
#include "../server_session_options.hpp"
#include "http_clients.hpp"

namespace hawser {

/// Why a request is refused: an HTTP status with a JSON-RPC error as body.
struct http_refusal {
  int status = 400;
  int code = protocol::code::invalid_request;
  std::string what{};
  std::string data{};  ///< JSON, empty = none

  /// `id`: the message's id as JSON; empty if it could not be read.
  [[nodiscard]] std::string body(std::string_view id) const;
  [[nodiscard]] complete_response answer(std::string_view id) const;
};

/// Sends the refusal as the response.
void refuse(server_exchange& call, const http_refusal& why, std::string_view id = {});
/// Counts a call of this client as in progress. A client that has reached its limit is refused with 429, and nullopt
/// returned.
[[nodiscard]] std::optional<http_clients::call> count_call(http_clients& clients, server_exchange& call,
                                                           const text_digest& client, std::string_view id);
/// 202, the only response to a notification or a JSON-RPC response.
void accept(server_exchange& call);

/// The id of a message in canonical JSON, independent of how its escapes were written; empty if it has none.
std::string canonical_id(const message_view& message);
/// The limit in bytes for the id of a request.
inline constexpr std::size_t max_request_id = 1024;

/// The field's value if the field occurs exactly once.
std::optional<std::string_view> single_field(const http_fields& fields, std::string_view name) noexcept;

/// Protection against DNS rebinding: `Host` and, if present, `Origin` must name this machine. Checked before anything
/// else.
std::optional<http_refusal> check_origin(const http_fields& fields);
/// Whether `Accept` allows this media type. A missing `Accept` allows everything.
bool accepts(const http_fields& fields, std::string_view type) noexcept;
/// Checks the Content-Type and Accept fields of a POST.
std::optional<http_refusal> check_content_headers(const http_fields& fields);

/// Whether this message belongs to the modern era (no handshake).
bool is_modern_request(const http_fields& fields, const message_view& message, const server_session_options& serving);
/// Checks a modern request: its `_meta`, its revision, and that its header fields match the body.
std::optional<http_refusal> check_modern_request(const http_fields& fields, const message_view& message,
                                                 const server_session_options& serving);
/// Legacy era: the header field names a revision that is not served.
std::optional<http_refusal> check_legacy_version(const http_fields& fields, const server_session_options& serving);

}  // namespace hawser

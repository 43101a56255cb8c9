// SPDX-License-Identifier: MIT
// What an HTTP request must be before its message is served: where it comes from, what it carries, and since 2026-07-28
// header fields that say the same as its body. Looks and judges; serves nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "../transports/http_call.hpp"
#include "../transports/http_server.hpp"
#include "../transports/message.hpp"
#include "serving_options.hpp"

namespace hawser {

/// Why a request is not served: a status, and an error of JSON-RPC as its body.
struct http_refusal {
  int status = 400;
  int code = protocol::code::invalid_request;
  std::string what{};
  std::string data{};  ///< JSON, empty = none

  /// `id`: of the message, as JSON; empty where it could not be read.
  [[nodiscard]] std::string body(std::string_view id) const;
  [[nodiscard]] whole_answer answer(std::string_view id) const;
};

/// Answers with it.
void refuse(http_call& call, const http_refusal& why, std::string_view id = {});
/// 202: what is no request has no other answer.
void accept(http_call& call);

/// The id of a message as everybody writes it, whatever escapes it came with; empty where it has none.
std::string id_of(const message_view& message);
/// No peer answers a request with a longer one.
inline constexpr std::size_t longest_request_id = 1024;

/// The field's value where it stands there exactly once.
std::optional<std::string_view> only_field(const http_fields& fields, std::string_view name) noexcept;

/// DNS rebinding: `Host` and, where there is one, `Origin` must name this machine. Before anything else is looked at.
std::optional<http_refusal> foreign_origin(const http_fields& fields);
/// Whether `Accept` takes this media type; one that is missing takes everything.
bool accepts(const http_fields& fields, std::string_view type) noexcept;
/// What a POST must say of its body and of the answer it can read.
std::optional<http_refusal> wrong_content(const http_fields& fields);

/// Whether this message belongs to the era without a handshake.
bool belongs_to_modern(const http_fields& fields, const message_view& message, const serving_options& serving);
/// What is wrong with such a request: its `_meta`, its revision, or header fields that do not say what the body says.
std::optional<http_refusal> wrong_modern_request(const http_fields& fields, const message_view& message,
                                                 const serving_options& serving);
/// In the other era: a revision in the header field that is none of the ones served.
std::optional<http_refusal> wrong_legacy_version(const http_fields& fields, const serving_options& serving);

}  // namespace hawser

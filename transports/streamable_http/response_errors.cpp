// SPDX-License-Identifier: MIT
#include "detail/response_errors.hpp"

#include <algorithm>

#include "../http/challenge.hpp"
#include "../http/http_fields.hpp"
#include "../http/retry_after.hpp"
#include "../json/json_text.hpp"
#include "../jsonrpc/remote_error.hpp"

namespace hawser::detail {

namespace {

constexpr std::size_t max_quoted_body = 200;

// Whether the response to the first request shows that the path is wrong. The status decides: a gateway that refuses
// access or limits rates often responds with an HTML page, too.
bool is_no_endpoint(const http_head& head) {
  switch (head.status) {
    case 404:
    case 405:
    case 410: return true;
    case 400:
    case 406:
    case 415:
    case 422: return has_media_type(head.fields, "text/html");
    default: return head.status < 300;
  }
}

// Statuses with which a server, or a gateway in front of it, responds to a request that it has not dispatched for
// execution. With any other status, the request may have been executed: a proxy sends 502, 503 and 504, and some
// frameworks 400, 408 and 409, after the server has started to work.
bool proves_not_dispatched(const http_head& head) {
  switch (head.status) {
    case 401:
    case 405:
    case 406:
    case 411:
    case 413:
    case 414:
    case 415:
    case 421:
    case 429:
    case 431: return true;
    case 403: return asks_for_bearer_token(head.fields);
    default: return false;
  }
}

// Adds what the head of an error response says: whether the request may have been executed, and when to retry.
error with_status(error why, const http_head& head) {
  if (proves_not_dispatched(head)) why.executed = execution::no;
  const auto field = head.fields.find("Retry-After");
  why.retry_after = field ? read_retry_after(*field) : std::nullopt;
  if (head.status == 429) why = prefixed("too many requests", std::move(why));
  if (why.retry_after) {
    why.what += "; retry after " + std::to_string(why.retry_after->count()) + " s";
  } else if (head.status == 429) {
    why.what += "; wait before the next request: the server does not say for how long";
  }
  return why;
}

}  // namespace

error_response response_errors::of_status(const http_head& head, std::string_view body,
                                          std::optional<std::int64_t> request) {
  const int status = head.status;
  const bool needs_login = status == 401 || (status == 403 && asks_for_bearer_token(head.fields));
  if (needs_login) {
    error why = with_status(unexpected(head, body), head);
    why.code = errc::auth;
    return {.why = status == 401 ? unauthorized(std::move(why)) : std::move(why)};
  }
  auto remote = in_body(body, request);
  if (status == 403) {
    error why = with_status(unexpected(head, body), head);
    if (remote) why.what = remote->what;
    return {.why = forbidden(std::move(why)), .is_json_rpc = remote.has_value()};
  }
  if (remote) return {.why = with_status(*std::move(remote), head), .is_json_rpc = true};
  error why = with_status(unexpected(head, body), head);
  if (status >= 500 || status == 429) why.code = errc::io;
  return {.why = std::move(why)};
}

std::optional<error> response_errors::in_body(std::string_view body, std::optional<std::int64_t> request) {
  const std::size_t first = body.find_first_not_of(" \t\r\n");
  if (first == body.npos) return std::nullopt;
  const message_view message = scanner_.scan(body);
  if (message.kind == message_kind::failure) {
    const error_id id = message.id == "null" ? error_id::none : error_id::of_request;
    error why = remote_error(message.error, headers_.revision(), *redactions_, id);
    // An error with the id of another request says nothing about this one. If the request could not be parsed, the id
    // is null.
    const bool about_this = message.integer_id ? message.number == request : id == error_id::none;
    if (!about_this) why.executed = execution::unknown;
    return why;
  }
  // The id may be missing or null if the request could not be parsed.
  if (!raw_json{body}.check()) return std::nullopt;
  body.remove_prefix(first);
  if (body.front() != '{') return std::nullopt;
  const std::string_view fault = find_member(body, "error");
  if (!fault.starts_with('{') || !integer_of(find_member(fault, "code"))) return std::nullopt;
  error why = remote_error(fault, headers_.revision(), *redactions_, error_id::none);
  const std::string_view id = find_member(body, "id");
  const bool is_json_rpc = text_of(find_member(body, "jsonrpc")) == "2.0";
  if (!is_json_rpc || !(id.empty() || id == "null")) why.executed = execution::unknown;
  return why;
}

// The beginning of an unexpected body.
std::string response_errors::quoted(std::string_view body) const {
  std::string text = redactions_->apply_truncated(body, max_quoted_body);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  return text;
}

error response_errors::unexpected(const http_head& head, std::string_view body) const {
  error why{.code = errc::protocol,
            .what = "the server answered with status " + std::to_string(head.status),
            .native = head.status,
            .executed = execution::unknown};
  const auto type = head.fields.find("Content-Type");
  if (body.find_first_not_of(" \t\r\n") == body.npos) {
    why.what += " and an empty body";
  } else {
    why.what += type ? " and content of type " + quoted(*type) : " and no content type";
    why.what += ": " + quoted(body);
  }
  if (headers_.revision().empty() && is_no_endpoint(head))
    why.what += "; this is no MCP endpoint: check the path of its url, often /mcp";
  return why;
}

error response_errors::unexpected_encoding(std::string_view encoding) const {
  return {.code = errc::protocol,
          .what = "the server encoded its answer as " + quoted(encoding) + " although it was not asked to",
          .executed = execution::unknown};
}

error response_errors::unauthorized(error why) const {
  why.code = errc::auth;
  if (!credential_names_.empty())
    why = prefixed("the configured " + credential_names_ + " was refused", std::move(why));
  return why;
}

error response_errors::forbidden(error why) const {
  why.code = errc::remote;
  why = prefixed("the server refuses access", std::move(why));
  why.what += "; it asks for no login, so logging in does not help: check its url, and whether ";
  why.what += credential_names_.empty() ? "this user or machine" : "the configured " + credential_names_;
  why.what += " may use it";
  return why;
}

}  // namespace hawser::detail

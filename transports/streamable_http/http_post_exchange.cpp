// SPDX-License-Identifier: MIT
// One POST of an http_channel and the interpretation of its response.
#include <algorithm>

#include "../../runtime/async/timeout.hpp"
#include "../../runtime/redaction.hpp"
#include "../http/challenge.hpp"
#include "../http/http_fields.hpp"
#include "../http/retry_after.hpp"
#include "../json/json_text.hpp"
#include "../jsonrpc/message_reader.hpp"
#include "../jsonrpc/protocol.hpp"
#include "../jsonrpc/remote_error.hpp"
#include "http_channel.hpp"

namespace hawser {

namespace {

constexpr std::size_t max_session_id = 1024;
constexpr std::size_t max_error_body = std::size_t{256} * 1024;
constexpr std::size_t max_quoted_body = 200;
constexpr int max_attempts = 3;
// For the body of an error response: it only adds detail to the error.
constexpr duration error_body_timeout = std::chrono::seconds{5};
// A request that a caller awaits is not delayed for longer than this: the caller gets the delay that the server asks
// for.
constexpr duration longest_retry_pause = std::chrono::seconds{10};

bool is_type(const http_head& head, std::string_view type) {
  const auto given = head.fields.find("Content-Type");
  return given && equal_ignoring_case(media_type(*given), type);
}

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
    case 422: return is_type(head, "text/html");
    default: return head.status < 300;
  }
}

// Reads a JSON-RPC error from a body, whether or not it has the id of the request.
std::optional<error> error_in_body(std::string_view body, scanner& reader, std::string_view revision,
                                   std::optional<std::int64_t> request, const redaction& hidden) {
  if (body.find_first_not_of(" \t\r\n") == body.npos) return std::nullopt;
  const message_view message = reader.scan(body);
  if (message.kind == message_kind::failure) {
    const error_id id = message.id == "null" ? error_id::none : error_id::of_request;
    error why = remote_error(message.error, revision, hidden, id);
    // An error with the id of another request says nothing about this one. If the request could not be parsed, the id
    // is null.
    const bool about_this = message.integer_id ? message.number == request : id == error_id::none;
    if (!about_this) why.executed = execution::unknown;
    return why;
  }
  // The id may be missing or null if the request could not be parsed.
  if (!raw_json{body}.check()) return std::nullopt;
  const std::size_t first = body.find_first_not_of(" \t\r\n");
  if (body[first] != '{') return std::nullopt;
  const std::string_view fault = find_member(body.substr(first), "error");
  if (!fault.starts_with('{') || !integer_of(find_member(fault, "code"))) return std::nullopt;
  error why = remote_error(fault, revision, hidden, error_id::none);
  const std::string_view id = find_member(body.substr(first), "id");
  const bool of_json_rpc = text_of(find_member(body.substr(first), "jsonrpc")) == "2.0";
  if (!of_json_rpc || !(id.empty() || id == "null")) why.executed = execution::unknown;
  return why;
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
error refusal(error why, const http_head& head) {
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

bool is_session_id(std::string_view id) noexcept {
  return !id.empty() && id.size() <= max_session_id &&
         std::all_of(id.begin(), id.end(), [](char c) { return c >= 0x21 && c <= 0x7E; });
}

}  // namespace

// The beginning of an unexpected body, for error messages.
std::string http_channel::beginning(std::string_view body) const {
  std::string text = loop_.redactions()->apply_truncated(body, max_quoted_body);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  return text;
}

error http_channel::unexpected(const http_head& head, std::string_view body) const {
  error why{.code = errc::protocol,
            .what = "the server answered with status " + std::to_string(head.status),
            .native = head.status,
            .executed = execution::unknown};
  const auto type = head.fields.find("Content-Type");
  if (body.find_first_not_of(" \t\r\n") == body.npos) {
    why.what += " and an empty body";
  } else {
    why.what += type ? " and content of type " + beginning(*type) : " and no content type";
    why.what += ": " + beginning(body);
  }
  if (revision_.empty() && is_no_endpoint(head))
    why.what += "; this is no MCP endpoint: check the path of its url, often /mcp";
  return why;
}

error http_channel::unauthorized(error why) const {
  why.code = errc::auth;
  if (!options_.credential_names.empty())
    why = prefixed("the configured " + options_.credential_names + " was refused", std::move(why));
  return why;
}

error http_channel::forbidden(error why) const {
  why.code = errc::remote;
  why = prefixed("the server refuses access", std::move(why));
  why.what += "; it asks for no login, so logging in does not help: check its url, and whether ";
  why.what +=
      options_.credential_names.empty() ? "this user or machine" : "the configured " + options_.credential_names;
  why.what += " may use it";
  return why;
}

task<result<void>> http_channel::exchange(outbound_post& what) {
  for (int tries = 1;; ++tries) {
    if (what.handle.cancelled() || closed_reported_) co_return cancelled_error();
    const client_request request = request_of(what);
    auto answer =
        co_await fetch(request, what.method, std::exchange(what.started, {}), std::exchange(what.used_credentials, {}));
    // Requests without side effects are sent again after the delay that the server asks for. So are messages that
    // expect no response: notifications and our own responses. A call is not: 503 does not mean that it was not
    // executed, and after 429 the caller decides whether it is still wanted.
    const int status = answer ? answer->head().status : 0;
    const bool repeats = (status == 429 || status == 503) && (what.replayable || !what.request);
    const auto told = repeats ? answer->head().fields.find("Retry-After") : std::nullopt;
    const duration wait = told ? retry_pause(*told) : duration::zero();
    if (told && tries < max_attempts && (!what.request || wait <= longest_retry_pause)) {
      std::move(*answer).discard_rest();
      if (what.request && options_.on_busy) options_.on_busy(what.method, status, wait);
      auto waited = co_await pause(&what, wait);
      if (!waited) co_return waited;
      continue;
    }
    mark_sent(what);
    if (!answer) co_return answer.error();
    if (what.handle.cancelled()) co_return cancelled_error();
    if (status < 200 || status >= 300) co_return co_await handle_error_status(what, *std::move(answer));
    if (what.request && mode_ == mode::streamable) co_return co_await handle_success(what, *std::move(answer));
    // Only the head matters: the body may never end. The old transport delivers responses on its stream.
    if (what.method == protocol::notification::initialized) on_initialized();
    std::move(*answer).discard_rest();
    co_return result<void>{};
  }
}

task<result<void>> http_channel::handle_success(outbound_post& what, client_response answer) {
  const http_head& head = answer.head();
  if (what.method == protocol::method::initialize && !store_session_id(head))
    co_return error{.code = errc::protocol,
                    .what = "the server's session id is no text of visible ASCII characters up to 1 KiB",
                    .executed = execution::unknown};
  const auto encoding = head.fields.find("Content-Encoding");
  if (encoding && !equal_ignoring_case(*encoding, "identity"))
    co_return error{
        .code = errc::protocol,
        .what = "the server encoded its answer as " + beginning(*encoding) + " although it was not asked to",
        .executed = execution::unknown};
  if (is_type(head, "text/event-stream")) co_return co_await follow_events(what, std::move(answer));
  co_return co_await read_json_body(what, answer);
}

task<result<void>> http_channel::read_json_body(outbound_post& what, client_response& answer) {
  if (!is_type(answer.head(), "application/json")) {
    auto text = co_await with_timeout(error_body_timeout, answer.read_all(max_error_body));
    co_return unexpected(answer.head(), text ? text->view() : std::string_view{});
  }
  auto body = co_await answer.read_all(options_.limits.max_message);
  if (!body) co_return body.error();
  if (body->empty()) co_return unexpected(answer.head(), body->view());
  deliver(body->view(), &*body, &what);
  if (what.answered) co_return {};
  // A server that sent something else may be one response behind: every later call would get the response to the
  // previous one.
  answer.forbid_reuse();
  if (auto said = error_in_body(body->view(), scanner_, revision_, what.request, *loop_.redactions())) co_return *said;
  co_return unexpected(answer.head(), body->view());
}

task<result<void>> http_channel::handle_error_status(outbound_post& what, client_response answer) {
  const int status = answer.head().status;
  auto body = co_await with_timeout(error_body_timeout, answer.read_all(max_error_body));
  if (what.handle.cancelled()) co_return cancelled_error();
  const std::string_view text = body ? body->view() : std::string_view{};
  const bool login_needed = status == 401 || (status == 403 && asks_for_bearer_token(answer.head().fields));
  if (login_needed) {
    error why = refusal(unexpected(answer.head(), text), answer.head());
    why.code = errc::auth;
    co_return status == 401 ? unauthorized(std::move(why)) : std::move(why);
  }
  // Session management: the server does not know the session that the request names, so nothing was executed.
  if (status == 404 && what.names_session) {
    error why{.code = errc::closed, .what = "the server has forgotten the session", .native = status};
    fail(what, why);
    on_session_lost(why);
    co_return {};
  }
  auto said = error_in_body(text, scanner_, revision_, what.request, *loop_.redactions());
  if (status == 403) {
    error why = refusal(unexpected(answer.head(), text), answer.head());
    if (said) why.what = said->what;
    co_return forbidden(std::move(why));
  }
  if (said) co_return refusal(*std::move(said), answer.head());
  error why = refusal(unexpected(answer.head(), text), answer.head());
  if (status >= 500 || status == 429) {
    why.code = errc::io;
    co_return why;
  }
  const bool unknown_here = status == 400 || status == 404 || status == 405;
  const bool opens = what.method == protocol::method::initialize;
  if (!unknown_here || !opens || mode_ == mode::sse || options_.type != http_channel_options::kind::automatic)
    co_return why;
  // Backwards compatibility: a URL that accepts no POST may be the stream of the oldest transport.
  auto old = co_await open_sse_transport();
  if (!old) co_return why;
  co_return co_await exchange(what);
}

bool http_channel::store_session_id(const http_head& head) {
  session_.clear();
  usual_fields_.clear();
  has_session_ = false;
  const auto id = head.fields.find(protocol::header::session_id);
  if (!id) return true;
  if (!is_session_id(*id)) return false;
  append_field(session_, protocol::header::session_id, *id);
  has_session_ = true;
  return true;
}

// A response is accepted only on the stream of its own request. The transport of 2024-11-05 has one stream for all.
void http_channel::deliver(std::string_view bytes, byte_buffer* storage, outbound_post* own) {
  if (closed_reported_) return;
  const std::size_t first = std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size());
  if (first < bytes.size() && bytes[first] == '[' && protocol::has_batches(revision_)) {
    deliver_batch(bytes, own);
    return;
  }
  message_view message = scanner_.scan(bytes);
  if (message.is_response() && own == nullptr) {
    if (mode_ == mode::streamable) {
      ++misrouted_responses_;
      return;
    }
    const auto text = message.integer_id ? std::nullopt : text_of(message.id);
    const auto number = text ? integer_of(*text) : std::nullopt;
    end_post_soon(message.integer_id ? message.number : number.value_or(0));
  } else if (message.is_response()) {
    const std::string number = std::to_string(own->request.value_or(0));
    const bool mine = message.id == number || message.id == '"' + number + '"';
    if (!mine || own->answered) {
      if (message.id != "null") ++misrouted_responses_;
      return;
    }
    own->answered = true;
  }
  message.storage = storage != nullptr && bytes.size() >= std::size_t{64} * 1024 ? storage : nullptr;
  to_->on_message(message);
}

void http_channel::deliver_batch(std::string_view bytes, outbound_post* own) {
  if (!raw_json{bytes}.check(options_.limits.json)) return;
  if (!elements_within(bytes, options_.limits.max_batch)) {
    to_->on_message({.batch = true, .bytes = bytes, .fault = batch_too_large()});
    return;
  }
  for_each_element(bytes, [&](std::string_view one) {
    if (!one.starts_with('[')) deliver(one, nullptr, own);
    return !closed_reported_;
  });
}

}  // namespace hawser

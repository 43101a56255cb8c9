// SPDX-License-Identifier: MIT
#include "peer.hpp"

#include <utility>

#include "../../runtime/guarded.hpp"
#include "../json/json_text.hpp"
#include "protocol.hpp"
#include "remote_error.hpp"

namespace hawser {

void peer_listener::on_request(std::string_view method, std::string_view /*params*/, responder answer) {
  answer.fail(protocol::code::method_not_found, "no such method: " + std::string{method});
}

peer::peer(loop& home, channel& to, peer_listener& listener, peer_limits limits)
    : loop_(home), channel_(to), listener_(listener), limits_(limits), calls_(limits.max_pending) {}

peer::~peer() {
  detail::require(calls_.size() == 0, "a peer died while calls waited for their answers");
  for (const auto& request : incoming_) request->owner = nullptr;
}

void peer::notify(std::string_view method, std::string_view params, std::string_view about) {
  const std::string line = notification_line(method, params);
  send_line({.line = line, .related_request = about});
}

void peer::negotiated(const peer_info& info, bool answers_requests) {
  answers_requests_ = answers_requests;
  revision_ = info.revision;
  channel_.negotiated(info);
  if (answers_requests) return;
  for (const auto& request : std::exchange(incoming_, {})) {
    count(counters_.forbidden, "a request that this revision forbids");
    request->owner = nullptr;
    request->stop.request_stop();
  }
}

void peer::trim() noexcept {
  std::string{}.swap(line_);
  channel_.trim();
}

void peer::answer_with(const request_id& id, std::string line, int failure) {
  const std::string about = id.json();
  send_line({.line = line, .related_request = about, .is_response = true, .failure = failure, .storage = &line});
}

void peer::send_line(const outgoing_message& message) {
  if (closed_) return;
  // A remote side that sends requests and never reads must not fill our memory with responses.
  if (channel_.queued_before(message) > limits_.max_queued) {
    count(counters_.unsent, "a message for somebody who does not read");
    return;
  }
  queued_ = channel_.send(message);
}

// Repeated events are logged at their 1st, 2nd, 4th, 8th … occurrence.
void peer::count(std::uint64_t& counter, std::string_view what) {
  ++counter;
  if ((counter & (counter - 1)) == 0)
    loop_.log().write(log_level::debug, "peer", std::string{what} + ", " + std::to_string(counter) + " times so far");
}

void peer::on_message(const message_view& message) noexcept {
  switch (message.kind) {
    case message_kind::result:
    case message_kind::failure: on_answer(message); break;
    case message_kind::request: on_incoming(message); break;
    case message_kind::notification: on_note(message); break;
    case message_kind::unusable: on_unusable(message); break;
  }
}

// JSON-RPC layer: a response has the id of its request. Our ids are integers; one that a server turned into a string is
// accepted, because none of our ids is a string of digits.
call_operation* peer::answered_call(const message_view& message) {
  std::int64_t id = message.number;
  if (!message.integer_id) {
    const auto text = text_of(message.id);
    const auto number = text ? integer_of(*text) : std::nullopt;
    if (!number) return nullptr;
    count(counters_.text_ids, "an answer whose id became a string");
    id = *number;
  }
  call_operation* call = calls_.take(id);
  if (call == nullptr && calls_.has_ended(id))
    ++counters_.late;
  else if (call == nullptr)
    count(counters_.unknown_ids, "an answer to nothing that was asked");
  return call;
}

void peer::on_answer(const message_view& message) {
  call_operation* call = answered_call(message);
  if (call == nullptr) return;
  if (message.kind == message_kind::result) {
    call->finish(message);
  } else {
    call->finish(
        remote_error(message.error, revision_, *loop_.redactions(), error_id::of_request, limits_.max_error_text));
  }
}

void peer::on_unusable(const message_view& message) {
  count(counters_.malformed, message.fault);
  if (message.has_method) {  // an invalid request, which JSON-RPC answers
    if (!answers_requests_) return;
    if (message.batch) {
      const std::string line = error_line_without_id(protocol::code::invalid_request, message.fault);
      send_line({.line = line, .failure = protocol::code::invalid_request});
      return;
    }
    if (message.id.empty() || message.id.size() > limits_.max_id) return;
    if (auto id = request_id::from_json(message.id))
      answer_with(*id, error_line(*id, protocol::code::invalid_request, message.fault),
                  protocol::code::invalid_request);
    return;
  }
  call_operation* call = message.is_response() ? answered_call(message) : nullptr;
  if (call == nullptr) return;
  call->finish(error{.code = message.fault_code == errc::parse ? errc::protocol : message.fault_code,
                     .what = std::string{"the answer cannot be used: "} + message.fault,
                     .executed = execution::unknown});
}

// Before negotiation, only a client sends these methods. A server that sends one with the id of our own request echoes
// its input: `cat`, an echo service. Our response would come back as the response to our request.
bool peer::ends_echoed_call(const message_view& message) {
  const bool opens = message.method == protocol::method::initialize || message.method == protocol::method::discover;
  if (!opens || !revision_.empty() || !message.integer_id) return false;
  call_operation* own = calls_.take(message.number);
  if (own == nullptr) return false;
  own->finish(error{.code = errc::protocol,
                    .what = "it repeats what it is sent, so it is no MCP server: check its command and arguments, or "
                            "its url",
                    .executed = execution::unknown});
  return true;
}

void peer::on_incoming(const message_view& message) {
  if (ends_echoed_call(message)) return;
  if (!answers_requests_) {
    count(counters_.forbidden, "a request that this revision forbids");
    return;
  }
  if (message.id.size() > limits_.max_id) {  // it would be kept until answered, and sent back
    count(counters_.refused, "a request with an endless id");
    return;
  }
  auto id = request_id::from_json(message.id);
  const bool in_use = incoming_.contains(*id);
  if (in_use || incoming_.size() >= limits_.max_incoming) {
    count(counters_.refused, "a request that cannot be taken");
    answer_with(*id,
                error_line(*id, protocol::code::invalid_request,
                           in_use ? "a request with this id is being answered" : "too many requests are unanswered"),
                protocol::code::invalid_request);
    return;
  }
  auto request = std::make_shared<detail::incoming_request>(*std::move(id), this);
  incoming_.insert(request);
  call_guarded(loop_.log(), "on_request of a peer's listener",
               [&] { listener_.on_request(message.method, message.params, responder{std::move(request)}); });
}

void peer::forget(const detail::incoming_request& answered) noexcept {
  const auto found = incoming_.find(answered.id);
  if (found != incoming_.end() && found->get() == &answered) incoming_.erase(found);
}

void peer::on_note(const message_view& message) {
  if (message.method == protocol::notification::progress) {
    on_progress(message.params);
  } else if (message.method == protocol::notification::cancelled) {
    on_cancelled(message.params);
  } else {
    notified(message.method, message.params);
  }
}

void peer::notified(std::string_view method, std::string_view params) {
  call_guarded(loop_.log(), "on_notification of a peer's listener", [&] { listener_.on_notification(method, params); });
}

// Progress: the token is the id of the call, so it is valid exactly as long as the call.
void peer::on_progress(std::string_view params) {
  const auto token = integer_of(find_member(params, protocol::meta::progress_token));
  const auto value = number_of(find_member(params, "progress"));
  call_operation* call = token ? calls_.find(*token) : nullptr;
  if (call == nullptr || !value) {
    count(counters_.progress, "progress of nothing that is pending");
    return;
  }
  const auto message = text_of(find_member(params, "message"));
  call->progressed({.progress = *value,
                    .total = number_of(find_member(params, "total")),
                    .message = message ? std::string_view{*message} : std::string_view{}});
}

// Cancellation: the remote side no longer waits and gets no response. If the request it names has been answered
// already, there is nothing to do; the listener still gets the notification.
void peer::on_cancelled(std::string_view params) {
  const auto id = request_id::from_json(find_member(params, "requestId"));
  const auto meant = id ? incoming_.find(*id) : incoming_.end();
  if (meant == incoming_.end()) {
    notified(protocol::notification::cancelled, params);
    return;
  }
  const incoming_ref request = std::move(incoming_.extract(meant).value());
  request->owner = nullptr;
  request->stop.request_stop();
}

void peer::on_request_failed(std::int64_t request, error why) noexcept {
  if (call_operation* call = calls_.take(request)) call->finish(std::move(why));
}

void peer::on_reset(error why) noexcept {
  call_guarded(loop_.log(), "on_reset of a peer's listener", [&] { listener_.on_reset(why); });
}

void peer::on_closed(error why) noexcept {
  if (closed_) return;
  closed_ = std::make_unique<error>(why);
  closed_->executed = execution::no;  // for calls made after the close
  why.executed = execution::unknown;
  while (call_operation* call = calls_.take_any()) call->finish(why);
  for (const auto& request : std::exchange(incoming_, {})) {
    request->owner = nullptr;
    request->stop.request_stop();
  }
  call_guarded(loop_.log(), "on_closed of a peer's listener", [&] { listener_.on_closed(*closed_); });
}

}  // namespace hawser

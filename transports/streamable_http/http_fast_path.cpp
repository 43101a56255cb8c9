// SPDX-License-Identifier: MIT
// The fast path of an http_channel, without a coroutine: a request over an idle connection, and a JSON response that is
// complete when it is examined. Any other outcome continues in `run_post`, as if it had started there.
#include <utility>

#include "../http/http_fields.hpp"
#include "../jsonrpc/protocol.hpp"
#include "http_channel.hpp"

namespace hawser {

namespace {

constexpr std::size_t max_spare = 32;
constexpr std::size_t kept_body = std::size_t{4} * 1024;
// Bodies of at least this size are moved together with their memory.
constexpr std::size_t min_handed_over_body = std::size_t{64} * 1024;

// A single JSON message in a body of known length, after which the connection can be reused.
bool is_fast_path_response(const http_head& head) noexcept {
  if (head.status != 200 || !head.length || !head.keep_alive) return false;
  const auto type = head.fields.find("Content-Type");
  return type && equal_ignoring_case(media_type(*type), "application/json") && !head.fields.find("Content-Encoding");
}

}  // namespace

std::shared_ptr<http_channel::outbound_post> http_channel::new_post() {
  if (spare_.empty()) return std::make_shared<outbound_post>(*this);
  auto what = std::move(spare_.back());
  spare_.pop_back();
  return what;
}

void http_channel::register_request(const std::shared_ptr<outbound_post>& what) {
  requests_.push_back(what);
  requests_by_id_.add(*what);
  what->place = requests_.size();
}

void http_channel::unregister_request(outbound_post& what) noexcept {
  if (what.place == 0) return;
  requests_by_id_.remove(what);
  const std::size_t gap = std::exchange(what.place, 0);
  if (gap < requests_.size()) {
    requests_[gap - 1].swap(requests_.back());
    requests_[gap - 1]->place = gap;
  }
  requests_.pop_back();
}

// Keeps the object for reuse if the caller has the only reference.
void http_channel::recycle(std::shared_ptr<outbound_post> what) noexcept {
  if (spare_.size() >= max_spare || what->body.capacity() > kept_body || what.use_count() != 1 || closing_) return;
  what->request.reset();
  what->replayable = what->names_session = what->answered = false;
  what->handle = {};
  what->check.reset();
  what->used_credentials.reset();
  what->abandoned.reset();
  what->ended.reset();
  spare_.push_back(std::move(what));
}

client_request http_channel::request_of(outbound_post& what) const noexcept {
  return {.to = &endpoint_,
          .fields = what.fields,
          .credential_fields = what.used_credentials ? what.used_credentials->fields.reveal() : std::string_view{},
          .body = what.body,
          .replayable = what.replayable,
          .urgent = !what.request,  // such as a response that calls in all other slots wait for
          // A call has its own limits, and a user may be filling in a form. A subscription has none.
          .unlimited_silence = what.request && what.method != protocol::method::subscriptions_listen,
          .timeout = what.request ? duration::zero() : options_.post_timeout,
          .max_redirects = what.replayable ? std::nullopt : std::optional{1},
          .handle = &what.handle,
          .check = what.check.get()};
}

bool http_channel::try_send_now(outbound_post& what) {
  const bool waits_for_stream = get_stream_pending_ && !what.replayable;
  const bool usual = what.request && mode_ == mode::streamable;
  if (!usual || initializing_ || waits_for_stream || what.method == protocol::method::initialize) return false;
  if (options_.login != nullptr) {
    what.used_credentials = cached_credentials();
    if (!what.used_credentials) return false;
  }
  what.started = client_.start(request_of(what), what);
  if (what.started.connection != nullptr) return true;
  what.used_credentials.reset();  // the credentials may be others when the request is sent
  return false;
}

void http_channel::on_fast_response(outbound_post& what) noexcept {
  const client_connection& over = *what.started.connection;
  const bool usual = !over.failed() && is_fast_path_response(over.head()) &&
                     *over.head().length <= options_.limits.max_message && !closed_reported_ &&
                     !what.handle.cancelled();
  if (usual && !over.complete()) {  // the rest is still arriving, and the server has the request
    mark_sent(what);
    return;
  }
  std::shared_ptr<outbound_post> self = what.shared_from_this();
  if (usual && deliver_fast_response(what)) {
    mark_sent(what);
    client_.done(std::exchange(what.started, {}), what.handle);
    unregister_request(what);
    recycle(std::move(self));
  } else {
    what.started.connection->watch(nullptr);
    work_->spawn(run_post(*this, std::move(self)));
  }
}

// Changes nothing unless the message is the response to this request.
bool http_channel::deliver_fast_response(outbound_post& what) {
  client_connection& over = *what.started.connection;
  message_view message = scanner_.scan(over.body().view());
  const bool answers = message.kind == message_kind::result || message.kind == message_kind::failure;
  if (!answers || !message.integer_id || message.number != *what.request) return false;
  what.answered = true;
  message.storage = over.body().size() >= min_handed_over_body ? &over.body() : nullptr;
  to_->on_message(message);
  return true;
}

// Exchanges that a coroutine awaits are ended by its stop.
void http_channel::drop_fast_requests() noexcept {
  requests_by_id_.clear();
  for (const auto& one : std::exchange(requests_, {})) {
    one->place = 0;
    drop_fast_request(*one);
  }
}

// Abandons its request. Not to be called from inside a callback of the connection, which may be closed here.
void http_channel::drop_fast_request(outbound_post& what) noexcept {
  started_request started = std::exchange(what.started, {});
  if (started.connection == nullptr) return;
  const client_response nobody_reads{client_, std::move(started.connection), std::move(started.slot), &what.handle};
}

}  // namespace hawser

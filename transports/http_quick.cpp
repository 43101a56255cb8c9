// SPDX-License-Identifier: MIT
// The fast path of an http_channel, without a coroutine: a request over an idle connection, and a JSON response that is
// complete when it is examined. Any other outcome continues in `sending`, as if it had started there.
#include <utility>

#include "http_channel.hpp"
#include "http_fields.hpp"
#include "protocol.hpp"

namespace hawser {

namespace {

constexpr std::size_t most_spare = 32;
constexpr std::size_t kept_body = std::size_t{4} * 1024;
// Bodies of at least this size are moved together with their memory.
constexpr std::size_t min_handed_over_body = std::size_t{64} * 1024;

// A single JSON message in a body of known length, after which the connection can be reused.
bool is_usual(const http_head& head) noexcept {
  if (head.status != 200 || !head.length || !head.keep_alive) return false;
  const auto type = head.fields.find("Content-Type");
  return type && equal_ignoring_case(media_type(*type), "application/json") && !head.fields.find("Content-Encoding");
}

}  // namespace

std::shared_ptr<http_channel::posting> http_channel::new_posting() {
  if (spare_.empty()) return std::make_shared<posting>(*this);
  auto what = std::move(spare_.back());
  spare_.pop_back();
  return what;
}

void http_channel::expect_answer(const std::shared_ptr<posting>& what) {
  requests_.push_back(what);
  requests_by_id_.add(*what);
  what->place = requests_.size();
}

void http_channel::expect_no_more(posting& what) noexcept {
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
void http_channel::let_go(std::shared_ptr<posting> what) noexcept {
  if (spare_.size() >= most_spare || what->body.capacity() > kept_body || what.use_count() != 1 || closing_) return;
  what->request.reset();
  what->replayable = what->names_session = what->answered = false;
  what->ticket = {};
  what->made_with.reset();
  what->given_up.reset();
  what->ended.reset();
  spare_.push_back(std::move(what));
}

http_request http_channel::request_of(posting& what) const noexcept {
  return {.to = &endpoint_,
          .fields = what.fields,
          .credentials = what.made_with ? what.made_with->fields.reveal() : std::string_view{},
          .body = what.body,
          .replayable = what.replayable,
          .urgent = !what.request,  // such as a response that calls in all other slots wait for
          // A call has its own limits, and a user may be filling in a form. A subscription has none.
          .patient = what.request && what.method != protocol::method::subscriptions_listen,
          .within = what.request ? duration::zero() : options_.post_timeout,
          .max_redirects = what.replayable ? std::nullopt : std::optional{1},
          .ticket = &what.ticket};
}

bool http_channel::send_at_once(posting& what) {
  const bool waits_for_stream = stream_due_ && !what.replayable;
  const bool usual = what.request && mode_ == mode::streamable;
  if (!usual || initializing_ || waits_for_stream || what.method == protocol::method::initialize) return false;
  if (options_.login != nullptr) {
    what.made_with = grant_at_hand();
    if (!what.made_with) return false;
  }
  what.begun = client_.start(request_of(what), what);
  if (what.begun.over != nullptr) return true;
  what.made_with.reset();  // the credentials may be others when the request is sent
  return false;
}

void http_channel::quick_answer(posting& what) noexcept {
  const http_connection& over = *what.begun.over;
  const bool usual = !over.failed() && is_usual(over.head()) && *over.head().length <= options_.limits.max_message &&
                     !told_ && !what.ticket.withdrawn();
  if (usual && !over.complete()) {  // the rest is still arriving, and the server has the request
    left(what);
    return;
  }
  std::shared_ptr<posting> self = what.shared_from_this();
  if (usual && take_quick_answer(what)) {
    left(what);
    client_.done(std::exchange(what.begun, {}), what.ticket);
    expect_no_more(what);
    let_go(std::move(self));
  } else {
    what.begun.over->watch(nullptr);
    work_->spawn(sending(*this, std::move(self)));
  }
}

// Changes nothing unless the message is the response to this request.
bool http_channel::take_quick_answer(posting& what) {
  http_connection& over = *what.begun.over;
  message_view message = scanner_.scan(over.body().view());
  const bool answers = message.kind == message_kind::result || message.kind == message_kind::failure;
  if (!answers || !message.integer_id || message.number != *what.request) return false;
  what.answered = true;
  message.storage = over.body().size() >= min_handed_over_body ? &over.body() : nullptr;
  to_->on_message(message);
  return true;
}

// Exchanges that a coroutine awaits are ended by its stop.
void http_channel::drop_quick_ones() noexcept {
  requests_by_id_.clear();
  for (const auto& one : std::exchange(requests_, {})) {
    one->place = 0;
    drop_quick_one(*one);
  }
}

// Abandons its request. Not to be called from inside a callback of the connection, which may be closed here.
void http_channel::drop_quick_one(posting& what) noexcept {
  http_started begun = std::exchange(what.begun, {});
  if (begun.over == nullptr) return;
  const http_answer nobody_reads{client_, std::move(begun.over), std::move(begun.place), &what.ticket};
}

}  // namespace hawser

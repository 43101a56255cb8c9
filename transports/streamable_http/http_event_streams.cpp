// SPDX-License-Identifier: MIT
// The SSE streams of an http_channel: the response to a POST, the GET stream for server-initiated messages, and the
// single stream of the 2024-11-05 transport.
#include <algorithm>
#include <deque>
#include <functional>
#include <set>
#include <string>

#include "../../runtime/async/detail/wait_for.hpp"
#include "../../runtime/async/timeout.hpp"
#include "../http/http_fields.hpp"
#include "../http/retry_after.hpp"
#include "../http/sse_parser.hpp"
#include "../jsonrpc/protocol.hpp"
#include "http_channel.hpp"

namespace hawser {

namespace {

constexpr int max_failed_resumptions = 10;  // in a row
constexpr duration endpoint_timeout = std::chrono::seconds{15};
// For the HTTP response to a POST whose call was answered on the stream.
constexpr duration post_end_timeout = std::chrono::milliseconds{500};
constexpr std::size_t ids_kept = 256;

// The ids of the most recent events in a sorted set: comparing each event with all of them would cost many times what
// receiving it does. Not a hash set, because a server could choose ids that collide.
class recent_event_ids {
 public:
  /// False: the id is already in the set.
  bool add(std::string_view id) {
    const auto added = known_.emplace(id);
    if (!added.second) return false;
    in_order_.push_back(&*added.first);
    if (in_order_.size() > ids_kept) {
      known_.erase(known_.find(*in_order_.front()));
      in_order_.pop_front();
    }
    return true;
  }

 private:
  std::set<std::string, std::less<>> known_;
  std::deque<const std::string*> in_order_;
};

}  // namespace

// The events of one logical stream, across all connections that it takes.
class http_channel::event_reader final : public sse_listener {
 public:
  event_reader(http_channel& channel, outbound_post* own)
      : channel_(channel), own_(own), parser_(channel.options_.limits.max_message) {}

  result<void> feed(std::string_view bytes) {
    auto read = parser_.feed(bytes, *this);
    if (read) return read;
    error too_large = read.error();  // the only error of feed()
    too_large.what += channel_.options_.limits.size_advice;
    return too_large;
  }
  // Resets the parser: the next connection starts with a complete event.
  void reconnected() {
    if (!parser_.last_id().empty()) last_id_ = parser_.last_id();
    parser_ = sse_parser{channel_.options_.limits.max_message};
    productive_ = false;
  }
  [[nodiscard]] bool answered() const noexcept {
    return own_ != nullptr && (own_->answered || own_->handle.cancelled());
  }
  [[nodiscard]] bool productive() const noexcept { return productive_; }
  // The event id to resume from; empty if the server gave none, or one that is not a valid header field value.
  [[nodiscard]] std::string position() const {
    const std::string_view id = parser_.last_id().empty() ? std::string_view{last_id_} : parser_.last_id();
    return valid_field_value(id) ? std::string{id} : std::string{};
  }
  // The reconnection delay that the server asked for, if it did.
  [[nodiscard]] std::optional<duration> retry() noexcept { return retry_; }
  [[nodiscard]] const std::optional<std::string>& endpoint() const noexcept { return endpoint_; }

 private:
  void on_event(const sse_event& event) noexcept override {
    if (event.type == "endpoint") {
      if (!endpoint_) endpoint_ = std::string{event.data};
      return;
    }
    const bool message = event.type.empty() || event.type == "message";
    if (!message || event.data.empty() || is_repeated(event)) return;
    productive_ = true;
    channel_.deliver(event.data, nullptr, own_);
  }
  void on_retry(std::chrono::milliseconds pause) noexcept override { retry_ = clamped_retry(pause); }

  // A server that replays events may also send some that have already arrived.
  bool is_repeated(const sse_event& event) { return event.has_id && !event.id.empty() && !ids_.add(event.id); }

  http_channel& channel_;
  outbound_post* own_;
  sse_parser parser_;
  std::string last_id_;
  recent_event_ids ids_;
  std::optional<duration> retry_;
  std::optional<std::string> endpoint_;
  bool productive_ = false;
};

// Reads until the stream ends or has delivered the response it exists for.
task<result<void>> http_channel::read_events(client_response& from, event_reader& into) {
  while (!into.answered()) {
    auto bytes = co_await from.read_some();
    if (!bytes) co_return bytes.error();
    if (bytes->empty()) co_return result<void>{};
    auto read = into.feed(*bytes);
    if (!read) co_return read;
  }
  co_return result<void>{};
}

task<result<void>> http_channel::follow_events(outbound_post& what, client_response answer) {
  event_reader events{*this, &what};
  std::optional<client_response> from{std::move(answer)};
  error why{.code = errc::closed, .what = "the stream ended before the answer", .executed = execution::unknown};
  // A server may end each connection and have the client poll for the answer (SEP-1699): as long as it answers the GET
  // with a stream, only the deadlines of the call end that.
  int failed = 0;
  for (int idle = 0;;) {
    if (from) {
      failed = 0;
      auto read = co_await read_events(*from, events);
      if (what.answered || what.handle.cancelled()) {
        // If the server ends the stream after the response, the connection can be reused; if it does not, the
        // connection must not keep its slot.
        std::move(*from).discard_rest();
        co_return result<void>{};
      }
      if (!read) {
        why = read.error();
        why.executed = execution::unknown;
        if (why.code == errc::cancelled || why.code == errc::too_large) co_return why;
      }
      from.reset();
    }
    // Resumability: only with an event id to resume from. In the modern era a broken stream is not resumed.
    std::string position = events.position();
    idle = events.productive() ? 1 : idle + 1;
    if (position.empty() || protocol::modern(revision_) || failed > max_failed_resumptions) co_return why;
    auto waited = co_await pause(&what, events.retry().value_or(reconnect_pause(idle)));
    if (!waited) co_return waited;
    events.reconnected();
    auto resumed = co_await get(std::move(position), &what.handle);
    if (what.handle.cancelled()) co_return cancelled_error();
    if (!resumed) {
      ++failed;
      why = resumed.error();
      why.executed = execution::unknown;
      if (why.code == errc::cancelled || why.code == errc::protocol) co_return why;
      continue;
    }
    from.emplace(*std::move(resumed));
  }
}

// Opens an event stream. errc::protocol, with the status, means that the server will never offer one.
task<result<client_response>> http_channel::get(std::string last_event, request_handle* handle) {
  std::string fields = "Accept: text/event-stream\r\nAccept-Encoding: identity\r\n" + options_.fields;
  if (!revision_.empty()) append_field(fields, protocol::header::protocol_version, revision_);
  fields += session_;
  if (!last_event.empty()) append_field(fields, protocol::header::last_event_id, last_event);
  client_request request{.method = "GET",
                         .to = &options_.to,
                         .fields = fields,
                         .replayable = true,
                         .unlimited_silence = handle != nullptr,
                         .handle = handle};
  auto answer = co_await fetch(request, "the stream of events");
  if (!answer) co_return answer;
  const int status = answer->head().status;
  const auto type = answer->head().fields.find("Content-Type");
  if (status == 200 && type && equal_ignoring_case(media_type(*type), "text/event-stream")) co_return answer;
  std::move(*answer).discard_rest();
  const bool passing = status >= 500 || status == 429;
  co_return error{.code = passing ? errc::io : errc::protocol,
                  .what = "the server offers no stream of events here: status " + std::to_string(status),
                  .native = status};
}

// The call has its response: its POST gets a short time to end normally and is then aborted.
void http_channel::end_post_soon(std::int64_t request) {
  auto found = find_post(request);
  if (found == nullptr || std::exchange(found->answered, true)) return;
  work_->spawn(end_post(std::move(found)));
}

task<void> http_channel::end_post(std::shared_ptr<outbound_post> what) {
  auto ended = co_await with_timeout(post_end_timeout, detail::wait_for(what->ended));
  if (ended || ended.error().code != errc::timed_out) co_return;
  what->handle.cancel();
  what->abandoned.set();
}

// Session management: a 404 means that the session has expired, or that the server does not accept GET. A ping that
// names the session tells them apart. Only a 404 to the ping counts: a server that cannot be reached may come back.
task<bool> http_channel::session_is_lost() {
  const message_view ping{.method = protocol::method::ping};
  const std::string fields = fields_for(outgoing_message{}, ping);
  const client_request probe{.to = &endpoint_,
                             .fields = fields,
                             .body = R"({"jsonrpc":"2.0","id":"session-check","method":"ping"})",
                             .replayable = true,
                             .urgent = true,
                             .timeout = options_.post_timeout};
  auto answer = co_await fetch(probe, ping.method);
  if (!answer) co_return false;
  const int status = answer->head().status;
  std::move(*answer).discard_rest();
  co_return status == 404;
}

// Server-initiated messages in the legacy era. Calls do not depend on this stream.
task<void> http_channel::run_get_stream(http_channel& self) {
  event_reader events{self, nullptr};
  bool offered = false;  // the server has opened this stream before in this session
  for (int idle = 0; !self.closed_reported_;) {
    auto from = co_await self.get(events.position(), nullptr);
    self.get_stream_pending_ = false;
    self.get_stream_opened_.set();
    if (from) {
      offered = true;
      auto read = co_await read_events(*from, events);
      const bool ended = !read && (read.error().code == errc::cancelled || read.error().code == errc::too_large);
      if (ended) co_return;
    } else if (from.error().native == 404 && offered && self.has_session_) {
      const bool gone = co_await self.session_is_lost();
      if (gone) {
        self.on_session_lost(
            error{.code = errc::closed, .what = "the server has forgotten the session", .native = 404});
        co_return;
      }
    } else if (from.error().code == errc::protocol || from.error().code == errc::cancelled) {
      co_return;  // not offered
    }
    idle = events.productive() ? 1 : idle + 1;
    // The server's `retry` value applies to a stream that delivers messages. A stream that keeps ending without any is
    // reopened less and less often.
    const duration usual = reconnect_pause(idle);
    const duration wish = events.retry().value_or(usual);
    auto waited = co_await self.pause(nullptr, idle > 1 ? std::max(usual * (idle > 6 ? 5 : 1), wish) : wish);
    if (!waited) co_return;
    events.reconnected();
  }
}

// HTTP with SSE, 2024-11-05: a single stream whose first event names the POST endpoint.
task<result<void>> http_channel::open_sse_transport() {
  auto opened = co_await with_timeout(endpoint_timeout, get({}, nullptr));
  if (!opened && opened.error().code == errc::timed_out) co_return prefixed("the stream of events", opened.error());
  if (!opened) {
    error why = opened.error();
    if (why.native == 401) co_return unauthorized(std::move(why));
    if (why.native == 403) co_return forbidden(std::move(why));
    if (why.code == errc::protocol) why.what += "; check the path of its url, often /sse";
    co_return why;
  }
  auto from = std::make_unique<client_response>(*std::move(opened));
  auto events = std::make_unique<event_reader>(*this, nullptr);
  while (!events->endpoint()) {
    auto bytes = co_await with_timeout(endpoint_timeout, from->read_some());
    if (!bytes) co_return prefixed("the stream of events", bytes.error());
    if (bytes->empty())
      co_return error{.code = errc::protocol, .what = "the stream of events ended before it named its endpoint"};
    auto read = events->feed(*bytes);
    if (!read) co_return read;
  }
  auto endpoint = options_.to.resolve(*events->endpoint());
  if (!endpoint) co_return prefixed("the endpoint that the server names", endpoint.error());
  if (!same_origin(*endpoint, options_.to))
    co_return error{.code = errc::protocol,
                    .what = "the server names an endpoint at another origin, which is refused: " + endpoint->origin()};
  endpoint_ = *std::move(endpoint);
  mode_ = mode::sse;
  work_->spawn(run_sse_stream(*this, std::move(from), std::move(events)));
  co_return result<void>{};
}

task<void> http_channel::run_sse_stream(http_channel& self, std::unique_ptr<client_response> from,
                                        std::unique_ptr<event_reader> into) {
  auto read = co_await read_events(*from, *into);
  from.reset();
  error why{.code = errc::closed, .what = "the server ended its stream of events"};
  if (!read) why.what = "the stream of events broke: " + read.error().what;
  if (!read && read.error().code == errc::cancelled) co_return;
  self.report_closed(std::move(why));
}

}  // namespace hawser

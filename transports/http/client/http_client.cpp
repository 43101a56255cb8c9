// SPDX-License-Identifier: MIT
#include "http_client.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "../../../runtime/async/timeout.hpp"
#include "../../../runtime/crypto.hpp"
#include "../http_fields.hpp"

namespace hawser {

namespace {

// A bearer token is equivalent to a password: without TLS it must not leave this machine.
bool needs_loopback(const client_request& what, const http_url& to) noexcept {
  return !what.credential_fields.empty() && !to.tls;
}

// Limit for discarding connections of one client; the oldest is closed to make room.
constexpr std::size_t max_discarding = 8;

// Awaits a task that can be stopped through the stop source stored in the slot.
template <class T>
class stoppable_wait final {
 public:
  stoppable_wait(task<result<T>> inner, stop_source** slot) noexcept : inner_(std::move(inner)), slot_(slot) {}

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
    requires std::derived_from<Promise, promise_base>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> waiting) {
    const context where = waiting.promise().task_context;
    stop_.follow(where.stop);
    if (slot_ != nullptr) *slot_ = &stop_;
    return inner_.start(context{where.loop, &stop_}, waiting);
  }
  result<T> await_resume() {
    if (slot_ != nullptr) *slot_ = nullptr;
    return inner_.take();
  }

 private:
  task<result<T>> inner_;
  stop_source** slot_;
  stop_source stop_;
};

bool is_redirect(int status) noexcept {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

}  // namespace

void request_handle::cancel() noexcept {
  cancelled_ = true;
  if (connecting_ != nullptr) connecting_->request_stop();
  if (over_ == nullptr) return;
  error why = cancelled_error();
  if (over_->has_sent_bytes()) {
    why.executed = execution::unknown;
  } else {
    over_->drop_request();  // immediately: queued bytes are sent at the end of this loop iteration
  }
  over_->abort(std::move(why));
}

client_response::~client_response() {
  if (!connection_) return;  // moved from
  release_handle();
  client_->give_back(std::move(connection_));
}

void client_response::release_handle() noexcept {
  if (handle_ == nullptr) return;
  handle_->sent_bytes_ = handle_->has_sent_bytes();
  handle_->over_ = nullptr;
}

void client_response::discard_rest() && noexcept {
  release_handle();
  slot_.release();
  client_->discard_rest(std::move(connection_));
}

task<result<std::string_view>> client_response::read_some() {
  connection_->consume(shown_);
  shown_ = 0;
  if (connection_->body().empty()) {
    auto more = co_await connection_->wait_for_body();
    if (!more) co_return more.error();
  }
  shown_ = connection_->body().size();
  co_return connection_->body().view();
}

task<result<byte_buffer>> client_response::read_all(std::size_t limit) {
  connection_->consume(shown_);
  shown_ = 0;
  while (!connection_->complete() && connection_->body().size() <= limit) {
    auto more = co_await connection_->wait_for_body();
    if (!more) co_return more.error();
  }
  if (connection_->body().size() > limit) co_return connection_->too_large(limit);
  co_return std::move(connection_->body());
}

http_client::http_client(loop& home, resolver& names, http_client_options options)
    : loop_(home),
      names_(names),
      options_(std::move(options)),
      slots_(options_.max_connections),
      urgent_slots_(options_.max_urgent),
      self_(std::make_shared<http_client*>(this)) {
  if (!options_.zones) options_.zones = std::make_shared<zone_cache>();
}

http_client::~http_client() { *self_ = nullptr; }

started_request http_client::start(const client_request& what, response_listener& follows) {
  started_request started;
  const http_url& to = *what.to;
  // A proxied plain HTTP request needs different lines. A tunnel through a proxy is a connection like any other.
  if (!to.tls && !options_.proxies.for_http.empty()) return started;
  auto slot = slots_for(what).try_acquire();
  if (!slot) return started;
  started.connection = take_idle(what, to);
  if (!started.connection) return started;
  started.slot = *std::move(slot);
  what.handle->over_ = started.connection.get();
  send(*started.connection, what, to, nullptr);
  started.connection->watch(&follows);
  return started;
}

void http_client::done(started_request started, request_handle& handle) noexcept {
  handle.over_ = nullptr;
  const bool kept = started.connection->recycle();
  idle_.push_back(std::move(started.connection));  // even if unusable: it may be the caller
  if (!kept || idle_.size() > options_.max_idle) sweep_soon();
}

task<result<client_response>> http_client::fetch(client_request what, started_request started) {
  return what.timeout == duration::zero() ? fetch_following_redirects(what, std::move(started))
                                          : fetch_in_time(what, std::move(started));
}

task<result<client_response>> http_client::fetch_in_time(client_request what, started_request started) {
  co_return co_await with_timeout(what.timeout, fetch_following_redirects(what, std::move(started)));
}

task<result<client_response>> http_client::fetch_following_redirects(client_request what, started_request started) {
  http_url elsewhere;
  const http_url* to = what.to;
  const int max_redirects = what.max_redirects.value_or(options_.max_redirects);
  for (int redirects = 0;; ++redirects) {
    started_request first = std::exchange(started, {});
    bool refused = false;
    auto answer = co_await fetch_once(what, *to, std::move(first), refused);
    if (!answer && refused) co_return answer;  // the caller's own error, not one of this server
    if (!answer) co_return prefixed(to->origin(), answer.error());
    if (!what.follows_redirects || !is_redirect(answer->head().status)) {
      if (redirects > 0 && what.redirected_to != nullptr) *what.redirected_to = *to;
      co_return answer;
    }
    auto next = redirected(what, *to, answer->head());
    if (!next) co_return next.error();
    if (redirects == max_redirects)
      co_return error{.code = errc::protocol,
                      .what = to->origin() + " redirects the request too often: " + next->text(),
                      .native = answer->head().status};
    elsewhere = *std::move(next);
    to = &elsewhere;
  }
}

// Credential forwarding: a redirect is followed only to the origin that the credentials are for, and only without a
// change of method.
result<http_url> http_client::redirected(const client_request& what, const http_url& from,
                                         const http_head& head) const {
  const bool keeps_method = head.status == 307 || head.status == 308 || what.method == "GET";
  error refused{.code = errc::protocol, .native = head.status};
  // A server that responds with 303 may have executed the request.
  refused.executed = head.status == 307 || head.status == 308 ? execution::no : execution::unknown;
  const auto location = head.fields.find("Location");
  auto to = location ? from.resolve(*location)
                     : result<http_url>{error{.code = errc::protocol, .what = "it does not say where to"}};
  if (!to) {
    refused.what = from.origin() + ": a redirect is refused: " + to.error().what;
  } else if (!same_origin(*to, from)) {
    refused.what = from.origin() + ": a redirect to another origin is refused: " + url_for_error(to->text()) +
                   "; if that is where the server is now, configure its url";
  } else if (!keeps_method) {
    refused.what = from.origin() + ": a redirect that changes the request is refused: status " +
                   std::to_string(head.status) + " to " + url_for_error(to->text()) +
                   "; if that is where the server is now, configure its url";
  } else {
    return to;
  }
  return refused;
}

task<result<client_response>> http_client::fetch_once(const client_request& what, const http_url& to,
                                                      started_request started, bool& refused) {
  auto proxy = options_.proxies.choose(to);
  if (!proxy) co_return proxy.error();
  const http_proxy* through = proxy->has_value() ? &**proxy : nullptr;
  started_request held = std::move(started);
  if (held.connection) held.connection->watch(nullptr);
  for (bool again = false;; again = true) {
    const bool sent = held.connection != nullptr;
    if (!sent && !again) {
      if (auto slot = slots_for(what).try_acquire()) {
        held.slot = *std::move(slot);
        held.connection = take_idle(what, to);
      }
    }
    if (!held.connection) {
      if (what.handle != nullptr && what.handle->cancelled()) co_return cancelled_error();
      stop_source** slot = what.handle != nullptr ? &what.handle->connecting_ : nullptr;
      auto obtained = co_await stoppable_wait{obtain(what, to, through, std::move(held)), slot};
      if (!obtained) co_return obtained.error();
      held = *std::move(obtained);
    }
    if (what.handle != nullptr && !sent && what.handle->cancelled()) co_return cancelled_error();
    if (what.check != nullptr && !sent) {
      auto allowed = what.check->may_send();
      refused = allowed.has_error();
      if (refused) co_return allowed.error();
    }
    if (what.handle != nullptr && !sent) {
      what.handle->over_ = held.connection.get();
    }
    if (!sent) send(*held.connection, what, to, through);
    auto answered = co_await held.connection->wait_for_head();
    if (answered) co_return client_response{*this, std::move(held.connection), std::move(held.slot), what.handle};
    if (what.handle != nullptr) {
      what.handle->sent_bytes_ = what.handle->has_sent_bytes();
      what.handle->over_ = nullptr;
    }
    error why = answered.error();
    const bool gone = why.code == errc::closed || why.code == errc::io;
    const bool stale = held.connection->used_before() && !held.connection->response_began() && gone;
    const bool left = held.connection->has_sent_bytes();
    if (!left) {
      held.connection->drop_request();  // closing would flush it
      why.executed = execution::no;
    }
    held.connection.reset();
    if (stale && !again && (what.replayable || !left)) continue;
    if (why.code == errc::cancelled && left) why.executed = execution::unknown;
    co_return why;
  }
}

// Acquires a slot, unless one is held, and a connection: an idle one, unless an idle one has already been tried.
task<result<started_request>> http_client::obtain(const client_request& what, const http_url& to,
                                                  const http_proxy* through, started_request held) {
  if (!held.slot.held()) {
    auto granted = co_await slots_for(what).acquire();
    if (!granted) co_return granted.error();
    held.slot = *std::move(granted);
    held.connection = take_idle(what, to);
  }
  if (!held.connection) {
    const route by{.through = through, .innermost = what.innermost, .loopback_only = needs_loopback(what, to)};
    auto made = co_await connect(to, by);
    if (!made) co_return made.error();
    held.connection = *std::move(made);
  }
  co_return held;
}

void http_client::send(client_connection& over, const client_request& what, const http_url& to,
                       const http_proxy* through) {
  const bool names_origin = through != nullptr && !to.tls;
  std::string origin;
  std::string for_proxy;
  if (names_origin) {
    origin = to.origin();
    through->append_login(for_proxy);
  }
  text_.consume(text_.size());
  constexpr std::size_t constant = 96;  // at least the literals below plus a length
  const byte_buffer::room room =
      text_.reserve(constant + what.method.size() + origin.size() + to.target.size() + over.authority().size() +
                    for_proxy.size() + what.fields.size() + what.credential_fields.size() + what.body.size());
  char* end = room.at;
  const auto add = [&end](std::string_view piece) { end = std::copy_n(piece.data(), piece.size(), end); };
  add(what.method);
  add(" ");
  if (names_origin) add(origin);
  add(to.target);
  add(" HTTP/1.1\r\nHost: ");
  add(over.authority());
  add("\r\n");
  if (names_origin) add(for_proxy);
  add(what.fields);
  if (!what.credential_fields.empty()) add(what.credential_fields);
  if (what.method == "POST") {
    add("Content-Length: ");
    end = std::to_chars(end, end + std::numeric_limits<std::size_t>::digits10 + 1, what.body.size()).ptr;
    add("\r\n");
  }
  add("\r\n");
  add(what.body);
  text_.commit(static_cast<std::size_t>(end - room.at));
  over.send(text_.view(), what.unlimited_silence);
  // The buffer is reused, so credentials are erased from it. So are requests that must not be redirected, because their
  // bodies carry credentials.
  if (!what.credential_fields.empty() || names_origin || !what.follows_redirects) cleanse(room.at, text_.size());
  cleanse(for_proxy.data(), for_proxy.size());
  text_.consume(text_.size());
}

std::unique_ptr<client_connection> http_client::take_idle(const client_request& what, const http_url& to) {
  if (!discarding_.empty()) collect_discarded();
  const bool loopback_only = needs_loopback(what, to);
  const auto found = std::find_if(idle_.rbegin(), idle_.rend(), [&](const auto& one) {
    return one->usable() && one->connects_to(to) && (one->on_loopback() || !loopback_only);
  });
  if (found == idle_.rend()) return nullptr;
  std::unique_ptr<client_connection> taken = std::move(*found);
  idle_.erase(std::next(found).base());
  return taken;
}

void http_client::give_back(std::unique_ptr<client_connection> over) {
  if (!over->recycle()) return;
  if (idle_.size() >= options_.max_idle) idle_.erase(idle_.begin());
  idle_.push_back(std::move(over));
}

void http_client::discard_rest(std::unique_ptr<client_connection> over) noexcept {
  if (over->complete()) {
    give_back(std::move(over));
  } else if (over->discard_rest()) {
    if (discarding_.size() >= max_discarding) discarding_.erase(discarding_.begin());
    discarding_.push_back(std::move(over));
  }
}

void http_client::collect_discarded() {
  for (auto& one : discarding_) {
    if (one->complete() || one->failed()) give_back(std::move(one));
  }
  std::erase(discarding_, nullptr);
}

// Deferred, because that connection is the caller.
void http_client::on_idle_connection_ended() noexcept { sweep_soon(); }

void http_client::sweep_soon() noexcept {
  if (std::exchange(sweeping_, true)) return;
  loop_.post([self = self_] {
    if (*self == nullptr) return;
    auto& idle = (*self)->idle_;
    (*self)->sweeping_ = false;
    (*self)->collect_discarded();
    std::erase_if(idle, [](const auto& one) { return !one->usable(); });
    while (idle.size() > (*self)->options_.max_idle) idle.erase(idle.begin());
  });
}

void http_client::trim() noexcept {
  text_ = {};
  for (const auto& one : idle_) one->trim();
}

task<void> http_client::close() {
  discarding_.clear();
  while (!idle_.empty()) {
    std::unique_ptr<client_connection> last = std::move(idle_.back());
    idle_.pop_back();
    co_await last->close();
  }
}

}  // namespace hawser

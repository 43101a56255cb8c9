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
bool needs_loopback(const client_request& request, const http_url& url) noexcept {
  return !request.credential_fields.empty() && !url.tls;
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
  if (connection_ == nullptr) return;
  error why = cancelled_error();
  if (connection_->has_sent_bytes()) {
    why.executed = execution::unknown;
  } else {
    connection_->drop_request();  // immediately: queued bytes are sent at the end of this loop iteration
  }
  connection_->abort(std::move(why));
}

client_response::~client_response() {
  if (!connection_) return;  // moved from
  release_handle();
  client_->give_back(std::move(connection_));
}

void client_response::release_handle() noexcept {
  if (handle_ == nullptr) return;
  handle_->sent_bytes_ = handle_->has_sent_bytes();
  handle_->connection_ = nullptr;
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

http_client::http_client(loop& event_loop, resolver& name_resolver, http_client_options options)
    : loop_(event_loop),
      options_(std::move(options)),
      connector_(name_resolver, options_),
      slots_(options_.max_connections),
      urgent_slots_(options_.max_urgent),
      self_(std::make_shared<http_client*>(this)) {
  if (!options_.zones) options_.zones = std::make_shared<zone_cache>();
}

http_client::~http_client() { *self_ = nullptr; }

started_request http_client::start(const client_request& request, response_listener& listener) {
  started_request started;
  const http_url& url = *request.to;
  // A proxied plain HTTP request needs different lines. A tunnel through a proxy is a connection like any other.
  if (!url.tls && !options_.proxies.for_http.empty()) return started;
  auto slot = slots_for(request).try_acquire();
  if (!slot) return started;
  started.connection = take_idle(request, url);
  if (!started.connection) return started;
  started.slot = *std::move(slot);
  request.handle->connection_ = started.connection.get();
  send(*started.connection, request, url, nullptr);
  started.connection->watch(&listener);
  return started;
}

void http_client::done(started_request started, request_handle& handle) noexcept {
  handle.connection_ = nullptr;
  const bool kept = started.connection->recycle();
  idle_.push_back(std::move(started.connection));  // even if unusable: it may be the caller
  if (!kept || idle_.size() > options_.max_idle) sweep_soon();
}

task<result<client_response>> http_client::fetch(client_request request, started_request started) {
  return request.timeout == duration::zero() ? fetch_following_redirects(request, std::move(started))
                                             : fetch_in_time(request, std::move(started));
}

task<result<client_response>> http_client::fetch_in_time(client_request request, started_request started) {
  co_return co_await with_timeout(request.timeout, fetch_following_redirects(request, std::move(started)));
}

task<result<client_response>> http_client::fetch_following_redirects(client_request request, started_request started) {
  http_url redirect_url;
  const http_url* url = request.to;
  const int max_redirects = request.max_redirects.value_or(options_.max_redirects);
  for (int redirects = 0;; ++redirects) {
    started_request sent = std::exchange(started, {});
    bool refused = false;
    auto response = co_await fetch_once(request, *url, std::move(sent), refused);
    if (!response && refused) co_return response;  // the caller's own error, not one of this server
    if (!response) co_return prefixed(url->origin(), response.error());
    if (!request.follows_redirects || !is_redirect(response->head().status)) {
      if (redirects > 0 && request.redirected_to != nullptr) *request.redirected_to = *url;
      co_return response;
    }
    auto next = redirected(request, *url, response->head());
    if (!next) co_return next.error();
    if (redirects == max_redirects)
      co_return error{.code = errc::protocol,
                      .what = url->origin() + " redirects the request too often: " + next->text(),
                      .native = response->head().status};
    redirect_url = *std::move(next);
    url = &redirect_url;
  }
}

// Credential forwarding: a redirect is followed only to the origin that the credentials are for, and only without a
// change of method.
result<http_url> http_client::redirected(const client_request& request, const http_url& url,
                                         const http_head& head) const {
  const bool keeps_method = head.status == 307 || head.status == 308 || request.method == "GET";
  error refused{.code = errc::protocol, .native = head.status};
  // A server that responds with 303 may have executed the request.
  refused.executed = head.status == 307 || head.status == 308 ? execution::no : execution::unknown;
  const auto location = head.fields.find("Location");
  auto target = location ? url.resolve(*location)
                         : result<http_url>{error{.code = errc::protocol, .what = "it does not say where to"}};
  if (!target) {
    refused.what = url.origin() + ": a redirect is refused: " + target.error().what;
  } else if (!same_origin(*target, url)) {
    refused.what = url.origin() + ": a redirect to another origin is refused: " + url_for_error(target->text()) +
                   "; if that is where the server is now, configure its url";
  } else if (!keeps_method) {
    refused.what = url.origin() + ": a redirect that changes the request is refused: status " +
                   std::to_string(head.status) + " to " + url_for_error(target->text()) +
                   "; if that is where the server is now, configure its url";
  } else {
    return target;
  }
  return refused;
}

task<result<client_response>> http_client::fetch_once(const client_request& request, const http_url& url,
                                                      started_request started, bool& refused) {
  auto chosen = options_.proxies.choose(url);
  if (!chosen) co_return chosen.error();
  const http_proxy* proxy = chosen->has_value() ? &**chosen : nullptr;
  started_request held = std::move(started);
  if (held.connection) held.connection->watch(nullptr);
  for (bool again = false;; again = true) {
    const bool sent = held.connection != nullptr;
    if (!sent && !again) {
      if (auto slot = slots_for(request).try_acquire()) {
        held.slot = *std::move(slot);
        held.connection = take_idle(request, url);
      }
    }
    if (!held.connection) {
      if (request.handle != nullptr && request.handle->cancelled()) co_return cancelled_error();
      stop_source** slot = request.handle != nullptr ? &request.handle->connecting_ : nullptr;
      auto obtained = co_await stoppable_wait{obtain(request, url, proxy, std::move(held)), slot};
      if (!obtained) co_return obtained.error();
      held = *std::move(obtained);
    }
    if (request.handle != nullptr && !sent && request.handle->cancelled()) co_return cancelled_error();
    if (request.check != nullptr && !sent) {
      auto allowed = request.check->may_send();
      refused = allowed.has_error();
      if (refused) co_return allowed.error();
    }
    if (request.handle != nullptr && !sent) {
      request.handle->connection_ = held.connection.get();
    }
    if (!sent) send(*held.connection, request, url, proxy);
    auto answered = co_await held.connection->wait_for_head();
    if (answered) co_return client_response{*this, std::move(held.connection), std::move(held.slot), request.handle};
    if (request.handle != nullptr) {
      request.handle->sent_bytes_ = request.handle->has_sent_bytes();
      request.handle->connection_ = nullptr;
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
    if (stale && !again && (request.replayable || !left)) continue;
    if (why.code == errc::cancelled && left) why.executed = execution::unknown;
    co_return why;
  }
}

// Acquires a slot, unless one is held, and a connection: an idle one, unless an idle one has already been tried.
task<result<started_request>> http_client::obtain(const client_request& request, const http_url& url,
                                                  const http_proxy* proxy, started_request held) {
  if (!held.slot.held()) {
    auto granted = co_await slots_for(request).acquire();
    if (!granted) co_return granted.error();
    held.slot = *std::move(granted);
    held.connection = take_idle(request, url);
  }
  if (!held.connection) {
    const http_connector::route route{
        .proxy = proxy, .innermost = request.innermost, .loopback_only = needs_loopback(request, url)};
    auto connected = co_await connector_.connect(url, route);
    if (!connected) co_return connected.error();
    connection_owner& owner = *this;
    held.connection = std::make_unique<client_connection>(loop_, url, std::move(connected->stream), options_.limits,
                                                          options_.timeouts, owner);
    held.connection->set_on_loopback(connected->on_loopback);
  }
  co_return held;
}

void http_client::send(client_connection& connection, const client_request& request, const http_url& url,
                       const http_proxy* proxy) {
  const bool names_origin = proxy != nullptr && !url.tls;
  std::string origin;
  std::string for_proxy;
  if (names_origin) {
    origin = url.origin();
    proxy->append_login(for_proxy);
  }
  text_.consume(text_.size());
  constexpr std::size_t constant = 96;  // at least the literals below plus a length
  const byte_buffer::room room = text_.reserve(
      constant + request.method.size() + origin.size() + url.target.size() + connection.authority().size() +
      for_proxy.size() + request.fields.size() + request.credential_fields.size() + request.body.size());
  char* end = room.at;
  const auto add = [&end](std::string_view piece) { end = std::copy_n(piece.data(), piece.size(), end); };
  add(request.method);
  add(" ");
  if (names_origin) add(origin);
  add(url.target);
  add(" HTTP/1.1\r\nHost: ");
  add(connection.authority());
  add("\r\n");
  if (names_origin) add(for_proxy);
  add(request.fields);
  if (!request.credential_fields.empty()) add(request.credential_fields);
  if (request.method == "POST") {
    add("Content-Length: ");
    end = std::to_chars(end, end + std::numeric_limits<std::size_t>::digits10 + 1, request.body.size()).ptr;
    add("\r\n");
  }
  add("\r\n");
  add(request.body);
  text_.commit(static_cast<std::size_t>(end - room.at));
  connection.send(text_.view(), request.unlimited_silence);
  // The buffer is reused, so credentials are erased from it. So are requests that must not be redirected, because their
  // bodies carry credentials.
  if (!request.credential_fields.empty() || names_origin || !request.follows_redirects) cleanse(room.at, text_.size());
  cleanse(for_proxy.data(), for_proxy.size());
  text_.consume(text_.size());
}

std::unique_ptr<client_connection> http_client::take_idle(const client_request& request, const http_url& url) {
  if (!discarding_.empty()) collect_discarded();
  const bool loopback_only = needs_loopback(request, url);
  const auto found = std::find_if(idle_.rbegin(), idle_.rend(), [&](const auto& connection) {
    return connection->usable() && connection->connects_to(url) && (connection->on_loopback() || !loopback_only);
  });
  if (found == idle_.rend()) return nullptr;
  std::unique_ptr<client_connection> taken = std::move(*found);
  idle_.erase(std::next(found).base());
  return taken;
}

void http_client::give_back(std::unique_ptr<client_connection> connection) {
  if (!connection->recycle()) return;
  if (idle_.size() >= options_.max_idle) idle_.erase(idle_.begin());
  idle_.push_back(std::move(connection));
}

void http_client::discard_rest(std::unique_ptr<client_connection> connection) noexcept {
  if (connection->complete()) {
    give_back(std::move(connection));
  } else if (connection->discard_rest()) {
    if (discarding_.size() >= max_discarding) discarding_.erase(discarding_.begin());
    discarding_.push_back(std::move(connection));
  }
}

void http_client::collect_discarded() {
  for (auto& connection : discarding_) {
    if (connection->complete() || connection->failed()) give_back(std::move(connection));
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
    std::erase_if(idle, [](const auto& connection) { return !connection->usable(); });
    while (idle.size() > (*self)->options_.max_idle) idle.erase(idle.begin());
  });
}

void http_client::trim() noexcept {
  text_ = {};
  for (const auto& connection : idle_) connection->trim();
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

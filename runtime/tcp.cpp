// SPDX-License-Identifier: MIT
#include "tcp.hpp"

#include <algorithm>

#include "detail/sockaddr.hpp"
#include "detail/stream_core.hpp"
#include "event.hpp"
#include "scope.hpp"
#include "timeout.hpp"

namespace hawser {

namespace {

// A handle without a socket yet; whoever asks wraps it into a stream at once.
detail::stream_core* new_tcp_core(loop& home, stream_limits limits) {
  auto* core = new detail::stream_core{home, limits};
  uv_tcp_init(detail::uv_of(home), &core->uv.tcp);  // cannot fail: it makes no socket
  core->uv.any.data = core;
  return core;
}

// One attempt at one address. A stop closes the handle: the request then comes back cancelled.
class connect_operation final : public operation {
 public:
  connect_operation(detail::stream_core& core, const endpoint& to) : core_(core), to_(to) {}
  result<void> await_resume() const {
    if (status_ == 0) return {};
    if (cancelled()) return cancelled_error();
    return detail::from_uv(status_, to_.to_string());
  }

 private:
  void start() override {
    request_.data = this;
    const sockaddr_storage address = detail::to_sockaddr(to_);
    status_ = uv_tcp_connect(&request_, &core_.uv.tcp, reinterpret_cast<const sockaddr*>(&address),
                             [](uv_connect_t* done, int status) {
                               auto& self = *static_cast<connect_operation*>(done->data);
                               self.status_ = status;
                               self.complete();
                             });
    if (status_ != 0) complete();
  }
  void cancel() noexcept override { core_.close(); }

  detail::stream_core& core_;
  const endpoint& to_;
  uv_connect_t request_{};
  int status_ = UV_ECANCELED;
};

std::vector<endpoint> families_in_turn(std::vector<endpoint> all) {
  if (all.empty()) return all;
  const auto first = all.front().address.kind();
  std::vector<endpoint> ordered;
  std::vector<endpoint> other;
  for (endpoint& e : all) (e.address.kind() == first ? ordered : other).push_back(e);
  for (std::size_t i = 0; i < other.size(); ++i) {
    ordered.insert(ordered.begin() + static_cast<std::ptrdiff_t>(std::min(2 * i + 1, ordered.size())), other[i]);
  }
  return ordered;
}

// What the attempts of one connect share; lives in tcp_connect's frame, which joins them.
struct race {
  explicit race(scope& s) : attempts(s) {}
  scope& attempts;
  event changed;  // an attempt ended
  std::optional<stream> winner;
  std::size_t under_way = 0;
  std::string complaints;
};

task<void> attempt(race& r, endpoint to, stream_limits limits) {
  const context where = co_await this_context();
  detail::stream_core* core = new_tcp_core(*where.loop, limits);
  stream made{core};
  auto connected = co_await connect_operation{*core, to};
  --r.under_way;
  if (connected && !r.winner) {
    uv_tcp_nodelay(&core->uv.tcp, 1);  // requests are small and somebody waits for each
    r.winner = std::move(made);
    r.attempts.request_stop();
  } else if (!connected && connected.error().code != errc::cancelled) {
    r.complaints += (r.complaints.empty() ? "" : "; ") + connected.error().what;
  }
  r.changed.set();
}

task<result<void>> change_of(race& r) {
  r.changed.reset();
  co_return co_await r.changed.wait();
}

task<result<stream>> run_race(scope& s, std::vector<endpoint> candidates, connect_options options) {
  race r{s};
  const context where = co_await this_context();
  for (std::size_t next = 0; !r.winner && (next < candidates.size() || r.under_way > 0);) {
    if (where.stop_requested()) break;
    if (next < candidates.size()) {
      ++r.under_way;
      s.spawn(attempt(r, candidates[next++], options.limits));
    }
    // The next one starts after the stagger; when everybody has been started, only an end can help.
    if (next < candidates.size()) {
      auto waited = co_await with_timeout(options.stagger, change_of(r));
      ignore(waited, "a timeout starts the next attempt, a stop shows at the head of the loop");
    } else {
      auto waited = co_await change_of(r);
      ignore(waited, "a stop shows at the head of the loop");
    }
  }
  s.request_stop();
  co_await s.join();
  if (r.winner) co_return std::move(*r.winner);
  if (where.stop_requested()) co_return cancelled_error();
  co_return error{.code = errc::io, .what = "cannot connect: " + r.complaints};
}

}  // namespace

namespace detail {

struct listener_core {
  explicit listener_core(loop& l) : home(l) {}

  loop& home;
  uv_tcp_t uv{};
  wait_slot waiter;
  std::size_t arrived = 0;  // connections that nobody has accepted yet
  int failure = 0;          // what libuv said of the last one that could not be taken

  void on_connection(int status) noexcept {
    if (status == 0) {
      ++arrived;
    } else {
      failure = status;
    }
    waiter.wake();
  }
};

void listener_deleter::operator()(listener_core* core) const noexcept {
  require(!core->waiter.occupied(), "a listener died while somebody waited for a connection");
  uv_close(reinterpret_cast<uv_handle_t*>(&core->uv),
           [](uv_handle_t* closed) { delete static_cast<listener_core*>(closed->data); });
}

}  // namespace detail

result<tcp_listener> tcp_listener::listen(loop& home, loopback where, std::uint16_t port) {
  auto* core = new detail::listener_core{home};
  uv_tcp_init(detail::uv_of(home), &core->uv);
  core->uv.data = core;
  tcp_listener made{core};
  const endpoint at{where == loopback::v4 ? ip_address::loopback_v4() : ip_address::loopback_v6(), port};
  const sockaddr_storage address = detail::to_sockaddr(at);
  int status = uv_tcp_bind(&core->uv, reinterpret_cast<const sockaddr*>(&address), 0);
  if (status == 0) {
    status = uv_listen(reinterpret_cast<uv_stream_t*>(&core->uv), SOMAXCONN, [](uv_stream_t* server, int outcome) {
      static_cast<detail::listener_core*>(server->data)->on_connection(outcome);
    });
  }
  if (status != 0) return detail::from_uv(status, "listen on " + at.to_string());
  return made;
}

endpoint tcp_listener::local() const noexcept {
  sockaddr_storage address{};
  int length = sizeof address;
  uv_tcp_getsockname(&core_->uv, reinterpret_cast<sockaddr*>(&address), &length);
  return detail::from_sockaddr(reinterpret_cast<const sockaddr*>(&address)).value_or(endpoint{});
}

tcp_listener::accept_operation::accept_operation(detail::listener_core& core) noexcept
    : slot_operation(core.waiter), core_(core) {}

bool tcp_listener::accept_operation::await_ready() const noexcept { return core_.arrived > 0 || core_.failure != 0; }

result<stream> tcp_listener::accept_operation::await_resume() {
  if (core_.arrived == 0) {
    if (core_.failure == 0) return cancelled_error();
    return detail::from_uv(std::exchange(core_.failure, 0), "accept");
  }
  --core_.arrived;
  detail::stream_core* core = new_tcp_core(core_.home, {});
  stream made{core};
  const int status = uv_accept(reinterpret_cast<uv_stream_t*>(&core_.uv), &core->uv.stream);
  if (status != 0) return detail::from_uv(status, "accept");
  uv_tcp_nodelay(&core->uv.tcp, 1);
  return made;
}

task<result<stream>> tcp_connect(std::vector<endpoint> candidates, connect_options options) {
  if (candidates.empty()) co_return error{.code = errc::io, .what = "cannot connect: no address was given"};
  co_return co_await with_scope(run_race, families_in_turn(std::move(candidates)), options);
}

}  // namespace hawser

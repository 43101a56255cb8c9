// SPDX-License-Identifier: MIT
#include "tcp.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "../async/event.hpp"
#include "../async/scope.hpp"
#include "../async/timeout.hpp"
#include "detail/readiness.hpp"
#include "detail/sockaddr.hpp"
#include "detail/stream_core.hpp"

namespace hawser {

namespace {

using detail::unique_fd;

unique_fd new_socket(const endpoint& e) {
  const int family = e.address.kind() == ip_address::family::v4 ? AF_INET : AF_INET6;
  return unique_fd{::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
}

socklen_t length_of(const sockaddr_storage& address) {
  return address.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
}

result<stream> stream_over(loop& event_loop, unique_fd fd, stream_limits limits) {
  const int on = 1;  // messages are small and latency matters
  setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // Detects a peer that vanished without closing, such as a laptop that went to sleep, within a minute, even on an idle
  // connection. A server may also be too busy to read for this long; by then its request has waited long enough.
  const int idle = 30;
  const int interval = 10;
  const int probes = 3;
  const int unheard = 60'000;
  setsockopt(fd.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(fd.get(), IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(fd.get(), IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  setsockopt(fd.get(), IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
  setsockopt(fd.get(), IPPROTO_TCP, TCP_USER_TIMEOUT, &unheard, sizeof unheard);
  error why;
  auto* core = detail::stream_core::open(event_loop, std::move(fd), detail::stream_shape::two_way, limits, why);
  if (core == nullptr) return why;
  return stream{core};
}

// One connection attempt. A stop closes the socket.
task<result<stream>> connect_to(const endpoint& to, stream_limits limits) {
  const context where = co_await this_context();
  unique_fd fd = new_socket(to);
  if (!fd) co_return detail::from_errno(errno, to.to_string());
  const sockaddr_storage address = detail::to_sockaddr(to);
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), length_of(address)) != 0) {
    if (errno != EINPROGRESS) co_return detail::from_errno(errno, to.to_string());
    auto settled = co_await detail::readiness{fd.get(), detail::readiness::kind::writable};
    if (!settled && settled.error().code == errc::cancelled) co_return settled.error();
    // The poll also fails for a refused connection; SO_ERROR is more precise.
    int outcome = 0;
    socklen_t size = sizeof outcome;
    getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &outcome, &size);
    if (outcome != 0) co_return detail::from_errno(outcome, to.to_string());
    if (!settled) co_return prefixed(to.to_string(), settled.error());
  }
  co_return stream_over(*where.loop, std::move(fd), limits);
}

// A DNS answer may contain thousands of addresses, and each attempt needs a socket.
constexpr std::size_t most_candidates = 16;

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

// The state shared by the attempts of one connect. It lives in the frame of run_race, which joins them.
struct race {
  explicit race(scope& s) : attempts(s) {}
  scope& attempts;
  event changed;  // set when an attempt has ended
  std::optional<stream> winner;
  std::size_t under_way = 0;
  std::string complaints;
};

task<void> attempt(race& r, endpoint to, stream_limits limits) {
  auto connected = co_await connect_to(to, limits);
  --r.under_way;
  if (connected && !r.winner) {
    r.winner = std::move(*connected);
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
    // The next attempt starts after the stagger. After the last attempt has started, wait for one to end.
    if (next < candidates.size()) {
      auto waited = co_await with_timeout(options.attempt_delay, change_of(r));
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

tcp_listener::tcp_listener(loop& event_loop, detail::unique_fd fd, endpoint at) noexcept
    : event_loop_(&event_loop), fd_(std::move(fd)), local_(at) {}

result<tcp_listener> tcp_listener::listen(loop& event_loop, loopback where, std::uint16_t port) {
  endpoint at{where == loopback::v4 ? ip_address::loopback_v4() : ip_address::loopback_v6(), port};
  const std::string subject = "listen on " + at.to_string();
  unique_fd fd = new_socket(at);
  if (!fd) return detail::from_errno(errno, subject);
  const int on = 1;  // allows a port with connections in TIME_WAIT
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_storage address = detail::to_sockaddr(at);
  socklen_t length = length_of(address);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0 ||
      ::listen(fd.get(), SOMAXCONN) != 0 ||
      ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    return detail::from_errno(errno, subject);
  }
  at = detail::from_sockaddr(reinterpret_cast<const sockaddr*>(&address)).value_or(at);
  return tcp_listener{event_loop, std::move(fd), at};
}

task<result<stream>> tcp_listener::accept() {
  while (true) {
    auto arrived = co_await detail::readiness{fd_.get(), detail::readiness::kind::readable};
    if (!arrived) co_return prefixed("accept", arrived.error());
    unique_fd fd{::accept4(fd_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
    if (fd) co_return stream_over(*event_loop_, std::move(fd), {});
    // A connection that the peer has already aborted is not an error.
    if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) co_return detail::from_errno(errno, "accept");
  }
}

task<result<stream>> tcp_connect(std::vector<endpoint> candidates, connect_options options) {
  if (candidates.empty()) co_return error{.code = errc::io, .what = "cannot connect: no address was given"};
  std::vector<endpoint> tried = families_in_turn(std::move(candidates));
  const std::size_t passed_over = tried.size() - std::min(tried.size(), most_candidates);
  tried.resize(tried.size() - passed_over);
  auto connected = co_await with_scope(run_race, std::move(tried), options);
  if (!connected && passed_over > 0 && connected.error().code != errc::cancelled) {
    error why = connected.error();
    why.what += "; " + std::to_string(passed_over) + " more addresses were not tried";
    co_return why;
  }
  co_return connected;
}

}  // namespace hawser

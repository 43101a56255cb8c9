// SPDX-License-Identifier: MIT
// Shared by the TCP tests: addresses on loopback that refuse connections or never answer, and small conversations.
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <string>
#include <vector>

#include "../../runtime/async/event.hpp"
#include "../../runtime/async/sleep.hpp"
#include "../../runtime/io/detail/sockaddr.hpp"
#include "../../runtime/io/detail/unique_fd.hpp"
#include "../../runtime/io/tcp.hpp"
#include "contains.hpp"
#include "counted.hpp"

namespace hawser::testing {

// A socket that holds a port. Connections to it are refused until it listens.
class port_holder {
 public:
  explicit port_holder(const ip_address& where = ip_address::loopback_v4())
      : fd_(socket(where.kind() == ip_address::family::v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const sockaddr_storage wanted = hawser::detail::to_sockaddr(endpoint{where, 0});
    const socklen_t length = where.kind() == ip_address::family::v4 ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    bound_ = bind(fd_.get(), reinterpret_cast<const sockaddr*>(&wanted), length) == 0;
    sockaddr_storage given{};
    socklen_t given_length = sizeof given;
    getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&given), &given_length);
    at_ = hawser::detail::from_sockaddr(reinterpret_cast<const sockaddr*>(&given)).value_or(endpoint{});
  }
  [[nodiscard]] bool bound() const noexcept { return bound_; }
  [[nodiscard]] endpoint at() const noexcept { return at_; }
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }

 private:
  hawser::detail::unique_fd fd_;
  bool bound_ = false;
  endpoint at_;
};

// An address that never answers: it listens, its backlog is full and nothing accepts, so the kernel drops connection
// attempts.
class black_hole {
 public:
  explicit black_hole(const ip_address& where = ip_address::loopback_v4()) : port_(where) {
    listen(port_.fd(), 0);
    const bool v4 = where.kind() == ip_address::family::v4;
    const sockaddr_storage to = hawser::detail::to_sockaddr(port_.at());
    for (hawser::detail::unique_fd& filler : fillers_) {
      filler =
          hawser::detail::unique_fd{socket(v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
      static_cast<void>(connect(filler.get(), reinterpret_cast<const sockaddr*>(&to),
                                v4 ? sizeof(sockaddr_in) : sizeof(sockaddr_in6)));
    }
  }
  [[nodiscard]] endpoint at() const noexcept { return port_.at(); }
  /// Whether the last filler connection still hangs; if not, the address is not dead and a test proves nothing.
  [[nodiscard]] bool dead() const noexcept {
    pollfd last{.fd = fillers_.back().get(), .events = POLLOUT, .revents = 0};
    return poll(&last, 1, 0) == 0;
  }

 private:
  port_holder port_;
  std::array<hawser::detail::unique_fd, 4> fillers_;
};

inline bool has_v6() { return port_holder{ip_address::loopback_v6()}.bound(); }

inline result<tcp_listener> listen_on_loopback(loop& l, tcp_listener::loopback where = tcp_listener::loopback::v4) {
  return tcp_listener::listen(l, where, 0);
}

// One loop iteration through libuv.
inline task<void> turn() {
  event around;
  const context where = co_await this_context();
  where.loop->post([&around] { around.set(); });
  auto waited = co_await around.wait();
  ignore(waited, "a stop only makes the turn shorter");
  while (!around.is_set()) co_await yield();
}

inline task<result<stream>> accept_one(tcp_listener& listener) { co_return co_await listener.accept(); }

inline task<result<std::string>> read_exactly(stream& from, std::size_t count) {
  while (from.unread().size() < count) {
    auto seen = co_await from.read_some();
    if (!seen) co_return seen.error();
  }
  std::string bytes{from.unread().substr(0, count)};
  from.consume(count);
  co_return bytes;
}

inline task<result<std::string>> read_to_end(stream& from) {
  while (true) {
    auto seen = co_await from.read_some();
    if (seen) continue;
    if (seen.error().code != errc::closed) co_return seen.error();
    std::string bytes{from.unread()};
    from.consume(bytes.size());
    co_return bytes;
  }
}

inline task<result<void>> serve_once(tcp_listener& listener) {
  const counted alive;
  auto accepted = co_await listener.accept();
  if (!accepted) co_return accepted.error();
  auto heard = co_await read_exactly(*accepted, 4);
  if (!heard) co_return heard.error();
  accepted->write(*heard);
  co_return co_await accepted->shutdown();
}

inline task<result<std::string>> ask_once(std::vector<endpoint> candidates) {
  const counted alive;
  const connect_options options{.attempt_delay = std::chrono::milliseconds{1}};
  auto made = co_await tcp_connect(std::move(candidates), options);
  if (!made) co_return made.error();
  made->write("ping");
  auto answer = co_await read_to_end(*made);
  co_await made->close();
  co_return answer;
}

inline task<result<stream>> connect_to(std::vector<endpoint> candidates) {
  co_return co_await tcp_connect(std::move(candidates));
}

inline task<void> several_turns() {
  for (int i = 0; i < 20; ++i) co_await turn();
}

}  // namespace hawser::testing

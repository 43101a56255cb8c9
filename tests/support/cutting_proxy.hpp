// SPDX-License-Identifier: MIT
// A TCP proxy that resets each connection after a random number of bytes, counted in both directions. Uses threads
// and blocking sockets, so that it shares no code with what it tests.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <random>
#include <thread>

namespace hawser::testing {

class cutting_proxy {
 public:
  /// Listens on 127.0.0.1; port 0 = any. A connection carries `mean_bytes` on average.
  cutting_proxy(std::uint16_t port, std::uint16_t upstream, unsigned seed, double mean_bytes)
      : upstream_(upstream), random_(seed), bytes_(1.0 / mean_bytes), listener_(bound_socket(port)) {}
  cutting_proxy(const cutting_proxy&) = delete;
  cutting_proxy& operator=(const cutting_proxy&) = delete;

  /// 0: the port is in use.
  [[nodiscard]] std::uint16_t port() const {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    if (listener_ < 0 || getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
    return ntohs(address.sin_port);
  }

  /// Accepts connections until the process ends.
  void run() {
    for (;;) {
      const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) continue;
      const auto budget = static_cast<std::size_t>(bytes_(random_)) + 1;
      std::thread{[this, client, budget] { carry(client, budget); }}.detach();  // ends with the process at the latest
    }
  }

 private:
  static sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
  }

  static int bound_socket(std::uint16_t port) {
    const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int yes = 1;
    setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    const sockaddr_in address = loopback(port);
    if (bind(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 || listen(made, 64) != 0) {
      ::close(made);
      return -1;
    }
    return made;
  }

  void carry(int client, std::size_t budget) const {
    const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(upstream_);
    if (connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
      forward(client, server, budget);
    // A reset instead of an orderly close: it also discards data that was sent but not read.
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    for (const int end : {client, server}) {
      setsockopt(end, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
      ::close(end);
    }
  }

  static void forward(int client, int server, std::size_t budget) {
    std::array<pollfd, 2> ends{pollfd{.fd = client, .events = POLLIN, .revents = 0},
                               pollfd{.fd = server, .events = POLLIN, .revents = 0}};
    std::array<char, 4096> buffer{};
    while (budget > 0 && poll(ends.data(), ends.size(), -1) > 0) {
      for (std::size_t i = 0; i < ends.size(); ++i) {
        if (ends[i].revents == 0) continue;
        const ssize_t got = recv(ends[i].fd, buffer.data(), std::min(buffer.size(), budget), 0);
        if (got <= 0) return;
        const auto count = static_cast<std::size_t>(got);
        if (send(ends[1 - i].fd, buffer.data(), count, MSG_NOSIGNAL) != got) return;
        budget -= count;
        if (budget == 0) return;
      }
    }
  }

  std::uint16_t upstream_;
  std::mt19937 random_;
  std::exponential_distribution<double> bytes_;
  int listener_;
};

}  // namespace hawser::testing

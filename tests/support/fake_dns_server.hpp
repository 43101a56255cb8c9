// SPDX-License-Identifier: MIT
// A DNS server on UDP 127.0.0.1 with its own thread and blocking socket, so that it shares no code with Hawser.
// Answers A and AAAA queries from a table, or misbehaves as configured. No zones, no TCP, no other part of DNS.
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "../../runtime/io/address.hpp"
#include "../../runtime/io/detail/sockaddr.hpp"
#include "../../runtime/io/detail/unique_fd.hpp"

namespace hawser::testing {

class fake_dns_server {
 public:
  /// By name, lower case, without a final dot. A name without addresses of the requested family gives NODATA; a name
  /// that is not in the table gives NXDOMAIN.
  using table = std::map<std::string, std::vector<ip_address>>;
  enum class manner : std::uint8_t { answers, silent, silent_for_v4, silent_for_v6, nxdomain, servfail };

  explicit fake_dns_server(manner how, table names = {}) : names_(std::move(names)), manner_(how) {
    const sockaddr_storage wanted = hawser::detail::to_sockaddr(endpoint{ip_address::loopback_v4(), 0});
    sockaddr_storage given{};
    socklen_t length = sizeof given;
    if (pipe(wake_ends_.data()) != 0 ||
        bind(socket_.get(), reinterpret_cast<const sockaddr*>(&wanted), sizeof(sockaddr_in)) != 0 ||
        getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&given), &length) != 0) {
      throw std::runtime_error{"the fake name server got no socket"};
    }
    at_ = hawser::detail::from_sockaddr(reinterpret_cast<const sockaddr*>(&given)).value_or(endpoint{});
    thread_ = std::thread{[this] { serve(); }};
  }
  fake_dns_server(const fake_dns_server&) = delete;
  fake_dns_server& operator=(const fake_dns_server&) = delete;
  ~fake_dns_server() {
    close(wake_ends_[1]);
    thread_.join();
    close(wake_ends_[0]);
  }

  /// For resolver_options::servers.
  [[nodiscard]] std::string address() const { return at_.to_string(); }
  /// The number of queries received, including repetitions.
  [[nodiscard]] int asked() const noexcept { return asked_; }

 private:
  using packet = std::vector<std::uint8_t>;
  static constexpr std::size_t header_size = 12;
  static constexpr std::uint16_t type_a = 1;
  static constexpr std::uint16_t type_aaaa = 28;

  struct question {
    std::string name;
    std::uint16_t type = 0;
    std::size_t end = 0;  // its end in the packet; 0 if it is invalid
  };

  void serve() {
    while (true) {
      std::array<pollfd, 2> waiting{pollfd{.fd = socket_.get(), .events = POLLIN, .revents = 0},
                                    pollfd{.fd = wake_ends_[0], .events = POLLIN, .revents = 0}};
      poll(waiting.data(), waiting.size(), -1);
      if (waiting[1].revents != 0) return;
      packet request(1500);
      sockaddr_storage from{};
      socklen_t length = sizeof from;
      const ssize_t count = recvfrom(socket_.get(), request.data(), request.size(), MSG_DONTWAIT,
                                     reinterpret_cast<sockaddr*>(&from), &length);
      if (count < 0) continue;
      request.resize(static_cast<std::size_t>(count));
      ++asked_;
      const packet reply = reply_to(request);
      if (reply.empty()) continue;
      sendto(socket_.get(), reply.data(), reply.size(), 0, reinterpret_cast<const sockaddr*>(&from), length);
    }
  }

  static question question_of(const packet& request) {
    question asked;
    std::size_t at = header_size;
    while (at < request.size() && request[at] != 0) {
      const std::size_t label = request[at];
      if (at + 1 + label >= request.size()) return {};
      if (!asked.name.empty()) asked.name += '.';
      for (std::size_t i = 0; i < label; ++i) asked.name += static_cast<char>(request[at + 1 + i]);
      at += 1 + label;
    }
    if (at + 5 > request.size()) return {};
    asked.type = static_cast<std::uint16_t>(request[at + 1] << 8 | request[at + 2]);
    asked.end = at + 5;
    return asked;
  }

  [[nodiscard]] packet reply_to(const packet& request) const {
    const question asked = question_of(request);
    const bool unacknowledged = manner_ == manner::silent ||
                                (manner_ == manner::silent_for_v4 && asked.type == type_a) ||
                                (manner_ == manner::silent_for_v6 && asked.type == type_aaaa);
    if (unacknowledged || asked.end == 0) return {};
    const auto found = names_.find(asked.name);
    const bool unknown = manner_ == manner::nxdomain || found == names_.end();
    const std::uint8_t code = manner_ == manner::servfail ? 2 : unknown ? 3 : 0;
    packet reply(request.begin(), request.begin() + static_cast<std::ptrdiff_t>(asked.end));
    reply[2] = 0x85;  // a response, authoritative, recursion desired
    reply[3] = static_cast<std::uint8_t>(0x80 | code);
    std::fill(reply.begin() + 6, reply.begin() + header_size, std::uint8_t{0});
    if (code != 0) return reply;
    for (const ip_address& address : found->second) {
      const bool v4 = address.kind() == ip_address::family::v4;
      if (asked.type != (v4 ? type_a : type_aaaa)) continue;
      ++reply[7];
      const std::uint8_t size = v4 ? 4 : 16;
      // The name as a pointer to the question, type, class IN, a TTL of 60 s, length.
      reply.insert(reply.end(),
                   {0xc0, header_size, 0, static_cast<std::uint8_t>(asked.type), 0, 1, 0, 0, 0, 60, 0, size});
      reply.insert(reply.end(), address.bytes().begin(), address.bytes().begin() + size);
    }
    return reply;
  }

  const table names_;
  const manner manner_;
  hawser::detail::unique_fd socket_{socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  std::array<int, 2> wake_ends_{-1, -1};
  endpoint at_;
  std::atomic<int> asked_ = 0;
  std::thread thread_;
};

}  // namespace hawser::testing

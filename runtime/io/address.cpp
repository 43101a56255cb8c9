// SPDX-License-Identifier: MIT
#include "address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>

#include "detail/sockaddr.hpp"

namespace hawser {

ip_address ip_address::v4(std::array<std::uint8_t, 4> bytes) noexcept {
  ip_address made;
  std::copy(bytes.begin(), bytes.end(), made.bytes_.begin());
  return made;
}

ip_address ip_address::v6(std::array<std::uint8_t, 16> bytes, std::uint32_t scope) noexcept {
  ip_address made;
  made.family_ = family::v6;
  made.bytes_ = bytes;
  made.scope_ = scope;
  return made;
}

ip_address ip_address::loopback_v6() noexcept {
  std::array<std::uint8_t, 16> bytes{};
  bytes.back() = 1;
  return v6(bytes);
}

std::optional<ip_address> ip_address::parse(std::string_view text) {
  // inet_pton is strict enough, but stops at a NUL byte.
  if (text.size() >= INET6_ADDRSTRLEN || text.find('\0') != std::string_view::npos) return std::nullopt;
  const std::string terminated{text};
  std::array<std::uint8_t, 4> four{};
  if (inet_pton(AF_INET, terminated.c_str(), four.data()) == 1) return v4(four);
  std::array<std::uint8_t, 16> sixteen{};
  if (inet_pton(AF_INET6, terminated.c_str(), sixteen.data()) == 1) return v6(sixteen);
  return std::nullopt;
}

std::string ip_address::to_string() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(family_ == family::v4 ? AF_INET : AF_INET6, bytes_.data(), text.data(), text.size());
  return text.data();
}

std::string endpoint::to_string() const {
  const std::string host = address.to_string();
  const std::string at = std::to_string(port);
  return address.kind() == ip_address::family::v4 ? host + ':' + at : '[' + host + "]:" + at;
}

namespace detail {

sockaddr_storage to_sockaddr(const endpoint& e) noexcept {
  sockaddr_storage storage{};
  if (e.address.kind() == ip_address::family::v4) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(e.port);
    std::memcpy(&in.sin_addr, e.address.bytes().data(), 4);
    std::memcpy(&storage, &in, sizeof in);
  } else {
    sockaddr_in6 in{};
    in.sin6_family = AF_INET6;
    in.sin6_port = htons(e.port);
    in.sin6_scope_id = e.address.scope();
    std::memcpy(&in.sin6_addr, e.address.bytes().data(), 16);
    std::memcpy(&storage, &in, sizeof in);
  }
  return storage;
}

std::optional<endpoint> from_sockaddr(const sockaddr* address) noexcept {
  if (address->sa_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, address, sizeof in);
    std::array<std::uint8_t, 4> bytes{};
    std::memcpy(bytes.data(), &in.sin_addr, 4);
    return endpoint{ip_address::v4(bytes), ntohs(in.sin_port)};
  }
  if (address->sa_family == AF_INET6) {
    sockaddr_in6 in{};
    std::memcpy(&in, address, sizeof in);
    std::array<std::uint8_t, 16> bytes{};
    std::memcpy(bytes.data(), &in.sin6_addr, 16);
    return endpoint{ip_address::v6(bytes, in.sin6_scope_id), ntohs(in.sin6_port)};
  }
  return std::nullopt;
}

}  // namespace detail

}  // namespace hawser

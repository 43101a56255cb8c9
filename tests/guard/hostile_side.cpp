// SPDX-License-Identifier: MIT
#include "hostile_side.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "../../transports/json/json_text.hpp"

namespace hawser::testing {

std::string id_text(std::string_view request) { return std::string{find_member(request, "id")}; }

void stdio_wire::write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t taken = ::write(fd, bytes.data(), bytes.size());
    if (taken < 0 && errno == EINTR) continue;
    if (taken <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(taken));
  }
}

std::string stdio_wire::line() {
  std::array<char, 65536> piece{};
  for (std::size_t looked = 0;;) {
    const std::size_t end = unread_.find('\n', looked);
    if (end != std::string::npos) {
      std::string found = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return found;
    }
    looked = unread_.size();
    const ssize_t count = ::read(input_, piece.data(), piece.size());
    if (count <= 0) return {};
    unread_.append(piece.data(), static_cast<std::size_t>(count));
  }
}

void stdio_wire::say_in_pieces(std::string_view bytes, std::size_t piece) const {
  for (std::size_t at = 0; at < bytes.size(); at += piece) write_all(output_, bytes.substr(at, piece));
}

void stdio_wire::answer(std::string_view request, std::string_view result) const {
  say(R"({"jsonrpc":"2.0","id":)" + id_text(request) + R"(,"result":)" + std::string{result} + "}\n");
}

std::string stdio_wire::until_call(std::string_view tools, std::string_view more_of_initialize) {
  for (std::string request = line(); !request.empty(); request = line()) {
    const std::string method = text_of(find_member(request, "method")).value_or("");
    if (method == "tools/call") return request;
    if (find_member(request, "id").empty()) continue;
    if (method == "initialize") {
      answer(request, R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"logging":{}},)"
                      R"("serverInfo":{"name":"hostile","version":"1"})" +
                          std::string{more_of_initialize} + '}');
    } else {
      answer(request, method == "tools/list" ? tools : "{}");
    }
  }
  return {};
}

void stdio_wire::drain() {
  while (!line().empty()) {
  }
}

stdio_wire hostile_side::stdio() const {
  const int from = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  std::array<int, 3> got{-1, -1, -1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof got)> control{};
  char byte = 0;
  iovec bytes{.iov_base = &byte, .iov_len = 1};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  if (recvmsg(from, &message, MSG_CMSG_CLOEXEC) != 1 || CMSG_FIRSTHDR(&message) == nullptr) _exit(3);
  std::memcpy(got.data(), CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof got);
  return {got[0], got[1], got[2]};
}

void hostile_side::serve_web(scripted_http_server::script each) const {
  const scripted_http_server serving{std::move(each)};
  const std::uint16_t port = serving.port();
  if (::write(control_, &port, sizeof port) != sizeof port) _exit(3);
  for (;;) pause();
}

std::uint16_t hostile_side::victim_port() const {
  std::uint16_t port = 0;
  if (::read(control_, &port, sizeof port) != sizeof port) _exit(3);
  return port;
}

int hostile_side::connect_to(std::uint16_t port) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  at.sin_port = htons(port);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) _exit(3);
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const timeval patience{.tv_sec = 10, .tv_usec = 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  return fd;
}

std::string hostile_side::answer_from(int fd) {
  std::string all;
  std::array<char, 65536> piece{};
  for (;;) {
    const std::size_t head = all.find("\r\n\r\n");
    if (head != std::string::npos) {
      const std::size_t said = all.find("Content-Length: ");
      if (said != std::string::npos && said < head) {
        if (all.size() >= head + 4 + std::strtoull(all.c_str() + said + 16, nullptr, 10)) return all;
      } else if (all.find("text/event-stream") == std::string::npos) {
        return all;
      }
    }
    const ssize_t count = ::recv(fd, piece.data(), piece.size(), 0);
    if (count <= 0) return all;
    all.append(piece.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace hawser::testing

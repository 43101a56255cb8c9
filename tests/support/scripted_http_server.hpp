// SPDX-License-Identifier: MIT
// A scriptable, hostile HTTP server: threads with blocking sockets that run a test's script on each connection, down
// to single bytes and resets.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "../../transports/http/http_url.hpp"

namespace hawser::testing {

struct received_request {
  std::string head;
  std::string body;
  /// The value of a header field, by its exact name; empty if there is none.
  [[nodiscard]] std::string field(std::string_view name) const {
    const std::size_t at = head.find("\r\n" + std::string{name} + ": ");
    if (at == std::string::npos) return {};
    const std::size_t begin = at + name.size() + 4;
    return head.substr(begin, head.find("\r\n", begin) - begin);
  }
  [[nodiscard]] bool is(std::string_view method) const { return head.starts_with(std::string{method} + ' '); }
  /// The id of the JSON-RPC message in its body.
  [[nodiscard]] std::string id() const {
    const std::size_t at = body.rfind(R"("id":)");
    return at == std::string::npos ? std::string{} : body.substr(at + 5, body.find_first_of(",}", at + 5) - at - 5);
  }
  [[nodiscard]] bool asks(std::string_view method) const {
    return body.find(R"("method":")" + std::string{method} + '"') != std::string::npos;
  }
};

class scripted_http_server;

/// One connection, driven by a script.
class scripted_connection {
 public:
  scripted_connection(scripted_http_server& of, int fd, int nth) : nth(nth), of_(of), fd_(fd) {}
  /// The next complete request; nullopt when the client has disconnected.
  std::optional<received_request> request();
  void say(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t taken = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (taken <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(taken));
    }
  }
  void slowly(std::string_view bytes, std::chrono::milliseconds pause) {
    for (const char c : bytes) {
      say({&c, 1});
      std::this_thread::sleep_for(pause);
    }
  }
  void reply(std::string_view status, std::string_view type, std::string_view body, std::string_view fields = {}) {
    say("HTTP/1.1 " + std::string{status} + "\r\nContent-Type: " + std::string{type} + "\r\n" + std::string{fields} +
        "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string{body});
  }
  void json(std::string_view body, std::string_view fields = {}) { reply("200 OK", "application/json", body, fields); }
  /// The head of an SSE response that ends with the connection.
  void events() { say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"); }
  /// Waits until the client has closed.
  void hang() {
    char byte = 0;
    while (::recv(fd_, &byte, 1, 0) > 0) {
    }
  }
  /// Shuts down the sending direction.
  void end() { ::shutdown(fd_, SHUT_WR); }
  /// Makes the connection end with a reset.
  void reset() {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }
  const int nth;  ///< the number of this connection on this server, from 0

 private:
  scripted_http_server& of_;
  int fd_;
  std::string unread_;
};

class scripted_http_server {
 public:
  using script = std::function<void(scripted_connection& with)>;

  explicit scripted_http_server(script each)
      : each_(std::move(each)), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(listener_, reinterpret_cast<sockaddr*>(&at), sizeof at);
    ::listen(listener_, 64);
    socklen_t size = sizeof at;
    getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size);
    port_ = ntohs(at.sin_port);
    accepting_ = std::thread{[this] { accept_all(); }};
  }
  scripted_http_server(const scripted_http_server&) = delete;
  scripted_http_server& operator=(const scripted_http_server&) = delete;
  ~scripted_http_server() {
    ::shutdown(listener_, SHUT_RDWR);
    accepting_.join();
    {
      const std::scoped_lock lock{guard_};
      for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
    }
    for (std::thread& one : serving_) one.join();
    ::close(listener_);
  }

  [[nodiscard]] std::string origin() const { return "http://127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] http_url url(std::string_view path = "/mcp") const {
    return http_url::parse(origin() + std::string{path}).value();
  }
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  /// All requests so far.
  [[nodiscard]] std::vector<received_request> seen() const {
    const std::scoped_lock lock{guard_};
    return seen_;
  }
  [[nodiscard]] std::size_t asked(std::string_view method) const {
    std::size_t count = 0;
    for (const received_request& one : seen()) count += one.asks(method) ? 1 : 0;
    return count;
  }
  [[nodiscard]] int connections() const {
    const std::scoped_lock lock{guard_};
    return connections_;
  }

 private:
  friend class scripted_connection;
  void accept_all() {
    for (;;) {
      const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) return;
      const std::scoped_lock lock{guard_};
      open_.push_back(fd);
      serving_.emplace_back([this, fd, nth = connections_++] {
        scripted_connection peer{*this, fd, nth};
        each_(peer);
        const std::scoped_lock closing{guard_};
        open_.remove(fd);
        ::close(fd);
      });
    }
  }

  script each_;
  int listener_;
  std::uint16_t port_ = 0;
  mutable std::mutex guard_;
  std::list<int> open_;
  std::vector<received_request> seen_;
  int connections_ = 0;
  std::list<std::thread> serving_;
  std::thread accepting_;
};

inline std::optional<received_request> scripted_connection::request() {
  const auto more = [this] {
    char bytes[16384];
    const ssize_t count = ::recv(fd_, bytes, sizeof bytes, 0);
    if (count > 0) unread_.append(bytes, static_cast<std::size_t>(count));
    return count > 0;
  };
  std::size_t end = std::string::npos;
  while ((end = unread_.find("\r\n\r\n")) == std::string::npos) {
    if (!more()) return std::nullopt;
  }
  received_request got{.head = unread_.substr(0, end + 2), .body = {}};
  std::size_t length = 0;
  const std::string said = got.field("Content-Length");
  std::from_chars(said.data(), said.data() + said.size(), length);
  unread_.erase(0, end + 4);
  while (unread_.size() < length) {
    if (!more()) return std::nullopt;
  }
  got.body = unread_.substr(0, length);
  unread_.erase(0, length);
  const std::scoped_lock lock{of_.guard_};
  of_.seen_.push_back(got);
  return got;
}

}  // namespace hawser::testing

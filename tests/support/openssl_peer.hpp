// SPDX-License-Identifier: MIT
// The other side of TLS without code of Hawser: OpenSSL on a blocking socket in its own thread, driven by a test's
// script.
#pragma once

#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <csignal>
#include <functional>
#include <string>
#include <thread>

#include "tcp_peers.hpp"

namespace hawser::testing {

/// Bounds every wait: a peer that waits this long for a byte gives up.
inline void bound_waiting(int fd) {
  const timeval patience{.tv_sec = 10, .tv_usec = 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

class openssl_server {
 public:
  using arrangement = std::function<void(SSL_CTX*)>;
  /// Runs in the thread after a successful handshake; a connection that it leaves open is closed without
  /// close_notify.
  using script = std::function<void(SSL*)>;

  openssl_server(const std::string& certificate_file, const arrangement& arrange, script play)
      : context_(SSL_CTX_new(TLS_server_method()), SSL_CTX_free), play_(std::move(play)) {
    SSL_CTX_use_certificate_chain_file(context_.get(), certificate_file.c_str());
    SSL_CTX_use_PrivateKey_file(context_.get(), certificate_file.c_str(), SSL_FILETYPE_PEM);
    if (arrange) arrange(context_.get());
    listen(port_.fd(), 4);
    thread_ = std::thread{[this] { serve(); }};
  }
  openssl_server(const openssl_server&) = delete;
  openssl_server& operator=(const openssl_server&) = delete;
  ~openssl_server() { wait(); }

  [[nodiscard]] endpoint at() const noexcept { return port_.at(); }
  /// Waits until the one connection is over; only then read the results.
  void wait() {
    if (thread_.joinable()) thread_.join();
  }
  bool shook_hands = false;

 private:
  void serve() {
    sigset_t pipe_signal;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, nullptr);
    pollfd knocking{.fd = port_.fd(), .events = POLLIN, .revents = 0};
    if (poll(&knocking, 1, 10'000) != 1) return;
    const hawser::detail::unique_fd accepted{accept4(port_.fd(), nullptr, nullptr, SOCK_CLOEXEC)};
    bound_waiting(accepted.get());
    const std::unique_ptr<SSL, decltype(&SSL_free)> ssl{SSL_new(context_.get()), SSL_free};
    SSL_set_fd(ssl.get(), accepted.get());
    shook_hands = SSL_accept(ssl.get()) == 1;
    if (shook_hands) play_(ssl.get());
  }

  port_holder port_;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
  script play_;
  std::thread thread_;
};

/// A client, called on a thread that the test creates.
inline std::string openssl_client(endpoint to, const std::function<void(SSL_CTX*)>& arrange,
                                  const std::function<std::string(SSL*)>& play) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context{SSL_CTX_new(TLS_client_method()), SSL_CTX_free};
  if (arrange) arrange(context.get());
  const hawser::detail::unique_fd fd{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  bound_waiting(fd.get());
  const sockaddr_storage address = hawser::detail::to_sockaddr(to);
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(sockaddr_in)) != 0) return "no connection";
  const std::unique_ptr<SSL, decltype(&SSL_free)> ssl{SSL_new(context.get()), SSL_free};
  SSL_set_fd(ssl.get(), fd.get());
  if (SSL_connect(ssl.get()) != 1) return "no handshake";
  return play(ssl.get());
}

}  // namespace hawser::testing

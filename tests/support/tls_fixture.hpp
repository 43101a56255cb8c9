// SPDX-License-Identifier: MIT
// A scriptable TLS server on loopback, and clients that trust it: real sockets, real certificates.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "../../runtime/async/event.hpp"
#include "../../runtime/io/tcp.hpp"
#include "../../transports/tls/tls_handshake.hpp"
#include "certificates.hpp"
#include "ut.hpp"

namespace hawser::testing {

/// A byte stream with an awaitable read, which makes test scripts easier to read.
class stream_end final : private byte_listener {
 public:
  explicit stream_end(std::unique_ptr<byte_stream> over) : over_(std::move(over)) { over_->listen(*this); }

  [[nodiscard]] byte_stream& get() noexcept { return *over_; }
  void write(std::string_view bytes) { over_->write(bytes); }

  task<result<std::string>> read_exactly(std::size_t count) {
    while (over_->unread().size() < count) {
      auto more = co_await changed();
      if (!more) co_return more.error();
    }
    co_return taken(count);
  }
  /// Reads up to and including the mark, for example a complete HTTP head.
  task<result<std::string>> read_until(std::string mark) {
    while (over_->unread().find(mark) == std::string_view::npos) {
      auto more = co_await changed();
      if (!more) co_return more.error();
    }
    co_return taken(over_->unread().find(mark) + mark.size());
  }
  /// Reads until an orderly end; any other end is an error.
  task<result<std::string>> read_to_end() {
    while (ends.empty()) {
      auto more = co_await changed();
      if (!more && more.error().code != errc::closed) co_return more.error();
    }
    if (ends.front().code != errc::closed) co_return ends.front();
    co_return taken(over_->unread().size());
  }

  std::vector<error> ends;  // on_end must be called once: a second call is a bug
  std::size_t times_told = 0;

 private:
  void on_bytes() noexcept override {
    ++times_told;
    changed_.set();
  }
  void on_end(const error& why) noexcept override {
    ends.push_back(why);
    changed_.set();
  }
  task<result<void>> changed() {
    if (!ends.empty()) co_return ends.front();
    changed_.reset();
    auto waited = co_await changed_.wait();
    if (waited && !ends.empty() && over_->unread().empty()) co_return ends.front();
    co_return waited;
  }
  std::string taken(std::size_t count) {
    std::string bytes{over_->unread().substr(0, count)};
    over_->consume(count);
    return bytes;
  }

  std::unique_ptr<byte_stream> over_;
  event changed_;
};

struct tls_fixture_options {
  /// The file with the server's certificate, chain and key.
  std::function<std::string(certificate_authority&)> certificate = [](certificate_authority& o) {
    return o.local_file();
  };
  bool asks_clients = false;  // for certificates of the office's root
};

class tls_fixture {
 public:
  explicit tls_fixture(loop& l, const tls_fixture_options& options = {}) {
    tls_server_settings serving{.certificate_file = options.certificate(test_authority)};
    if (options.asks_clients) serving.client_ca = test_authority.root_file();
    auto made_server = tls_context::server(serving);
    expect(fatal(made_server.has_value()));
    server = *made_server;
    client = trusting();
    auto listening = tcp_listener::listen(l, tcp_listener::loopback::v4, 0);
    expect(fatal(listening.has_value()));
    listener = std::make_unique<tcp_listener>(std::move(*listening));
  }

  /// A new client context without sessions that trusts only the office, optionally with a client certificate.
  std::shared_ptr<tls_context> trusting(const std::string& certificate_file = {}) {
    auto made = tls_context::client(
        {.trust_file = test_authority.root_file(), .certificate_file = certificate_file, .key_file = {}});
    expect(fatal(made.has_value()));
    return *made;
  }
  [[nodiscard]] endpoint at() const { return listener->local(); }

  task<result<std::unique_ptr<byte_stream>>> accept() {
    auto accepted = co_await listener->accept();
    if (!accepted) co_return accepted.error();
    co_return co_await tls_accept(std::move(*accepted), server);
  }
  task<result<stream>> reach() {
    std::vector<endpoint> only{at()};
    co_return co_await tcp_connect(std::move(only));
  }
  task<result<std::unique_ptr<byte_stream>>> connect(std::string host = "localhost") {
    return connect_by(client, std::move(host));
  }
  task<result<std::unique_ptr<byte_stream>>> connect_by(std::shared_ptr<tls_context> with, std::string host) {
    auto reached = co_await reach();
    if (!reached) co_return reached.error();
    co_return co_await tls_connect(std::move(*reached), std::move(with), std::move(host), at().port);
  }

  certificate_authority test_authority;
  std::shared_ptr<tls_context> server;
  std::shared_ptr<tls_context> client;
  std::unique_ptr<tcp_listener> listener;
};

}  // namespace hawser::testing

// SPDX-License-Identifier: MIT
// A TLS connection; for the sources of this folder only. Bytes of the underlying stream are decrypted where they
// arrive, and written bytes leave encrypted in one piece.
#pragma once

#include "../../../runtime/async/event.hpp"
#include "../byte_stream.hpp"
#include "../tls_context.hpp"
#include "tls_wire.hpp"

namespace hawser::detail {

class tls_stream final : public byte_stream, private byte_listener {
 public:
  tls_stream(stream socket, std::shared_ptr<tls_context> context, std::string subject);
  ~tls_stream() override;

  /// The host that the certificate must be valid for. Call before the handshake; a client must.
  result<void> expect_host(const std::string& host, std::uint16_t port);
  task<result<void>> handshake();

  void listen(byte_listener& listener) override;
  [[nodiscard]] std::string_view unread() const noexcept override { return plain_.view(); }
  void consume(std::size_t count) noexcept override { plain_.consume(count); }
  void expect(std::size_t count) override;
  [[nodiscard]] std::size_t bytes_in_kernel() const noexcept override { return wire_.socket.bytes_in_kernel(); }
  [[nodiscard]] byte_buffer take(std::size_t count) override { return plain_.split(count); }
  void write(std::string_view bytes) override;
  void drop_unsent() noexcept override;
  [[nodiscard]] std::size_t queued() const noexcept override { return unsent_.size() + wire_.socket.queued(); }
  [[nodiscard]] std::uint64_t written() const noexcept override { return wire_.socket.written(); }
  task<result<void>> drained() override;
  task<result<void>> shutdown() override;
  task<void> close() override;
  void trim() noexcept override;

 private:
  void on_bytes() noexcept override;
  void on_end(const error& why) noexcept override;

  result<bool> handshake_step();
  result<void> check_negotiated();
  void decrypt();
  void encrypt(std::string_view bytes);
  void send_out();
  void send_unsent();
  void end_reading(error why);
  void end_writing(error why);

  // The context is declared first: the wire and the SSL object refer to it.
  std::shared_ptr<tls_context> context_;
  tls_wire wire_;
  detail::ssl_ptr ssl_;
  std::string subject_;
  byte_buffer plain_;
  byte_listener* listener_ = nullptr;
  std::unique_ptr<error> read_end_;
  std::unique_ptr<error> write_end_;
  std::string unsent_;  // plaintext: OpenSSL must read before it can write
  event sent_;          // unsent_ is empty, or will never be sent
  bool closing_ = false;
};

}  // namespace hawser::detail

// SPDX-License-Identifier: MIT
#include "tls_handshake.hpp"

#include <utility>

#include "../../runtime/detail/check.hpp"
#include "detail/tls_stream.hpp"

namespace hawser {

namespace {

using detail::tls_core;
using detail::tls_stream;

task<result<std::unique_ptr<byte_stream>>> complete_handshake(std::unique_ptr<tls_stream> secured) {
  auto done = co_await secured->handshake();
  if (!done) co_return done.error();
  co_return std::unique_ptr<byte_stream>{std::move(secured)};
}

}  // namespace

task<result<std::unique_ptr<byte_stream>>> tls_connect(stream socket, std::shared_ptr<tls_context> context,
                                                       std::string host, std::uint16_t port) {
  detail::require(context->core().role == tls_core::side::client, "a server's TLS context was used to connect");
  auto made = std::make_unique<tls_stream>(std::move(socket), std::move(context), "tls to \"" + host + '"');
  if (auto prepared = made->expect_host(host, port); !prepared) co_return prepared.error();
  co_return co_await complete_handshake(std::move(made));
}

task<result<std::unique_ptr<byte_stream>>> tls_accept(stream socket, std::shared_ptr<tls_context> context) {
  detail::require(context->core().role == tls_core::side::server, "a client's TLS context was used to accept");
  auto made = std::make_unique<tls_stream>(std::move(socket), std::move(context), "tls from a client");
  co_return co_await complete_handshake(std::move(made));
}

}  // namespace hawser

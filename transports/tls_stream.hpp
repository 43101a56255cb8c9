// SPDX-License-Identifier: MIT
// Byte streams under TLS, client's and server's side. A stream comes out only after the handshake, so no byte of the
// application is sent before the other side was verified.
#pragma once

#include <memory>
#include <string>

#include "byte_stream.hpp"
#include "tls_context.hpp"

namespace hawser {

/// Shakes hands as a client of `host`, a name or an address without brackets, whose certificate must be for it. The
/// port only tells apart which session to resume. The error says the host, the reason and the certificate it is about.
/// Bound it with with_timeout.
task<result<std::unique_ptr<byte_stream>>> tls_connect(stream over, std::shared_ptr<tls_context> with, std::string host,
                                                       std::uint16_t port = 443);

/// The server's side of it. Bound it with with_timeout.
task<result<std::unique_ptr<byte_stream>>> tls_accept(stream over, std::shared_ptr<tls_context> with);

}  // namespace hawser

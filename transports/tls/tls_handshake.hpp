// SPDX-License-Identifier: MIT
// TLS byte streams, for clients and servers. A stream is returned only after the handshake, so no application data is
// sent before the remote side is verified.
#pragma once

#include <memory>
#include <string>

#include "byte_stream.hpp"
#include "tls_context.hpp"

namespace hawser {

/// Performs the handshake as a client of `host`, a name or an address without brackets, for which the certificate must
/// be valid. The port only selects the session to resume. The error names the host, the reason and the certificate
/// concerned. Bound it with with_timeout.
task<result<std::unique_ptr<byte_stream>>> tls_connect(stream socket, std::shared_ptr<tls_context> context,
                                                       std::string host, std::uint16_t port = 443);

/// The handshake of a server. Bound it with with_timeout.
task<result<std::unique_ptr<byte_stream>>> tls_accept(stream socket, std::shared_ptr<tls_context> context);

}  // namespace hawser

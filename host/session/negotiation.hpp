// SPDX-License-Identifier: MIT
// Chooses the protocol revision for an unknown server: probes for the modern era first, and falls back to the legacy
// handshake. HTTP status codes are handled by the transport.
#pragma once

#include <optional>
#include <string>

#include "../../runtime/async/task.hpp"
#include "../../transports/jsonrpc/peer.hpp"
#include "client_profile.hpp"

namespace hawser {

struct probe_result {
  std::optional<negotiated_peer> modern{};  ///< nullopt: a legacy server
  bool by_timeout = false;                  ///< decided by a timeout, which is weaker evidence than an answer
};

/// Sends `server/discover`. The server is legacy if its answer is not a modern one, or if it does not answer within
/// `bound` (over HTTP that is an error). A transport error never decides the era: errc::closed, for example, if the
/// server exited on the probe.
task<result<probe_result>> probe(peer& connection, const client_profile& client, duration time_limit);

/// The legacy handshake. A remote error with protocol::code::unsupported_version means a modern server. With `pinned`,
/// only the offered revision is accepted.
task<result<negotiated_peer>> initialize(peer& connection, const client_profile& client, std::string revision,
                                         bool pinned, duration time_limit);

}  // namespace hawser

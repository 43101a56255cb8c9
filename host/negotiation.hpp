// SPDX-License-Identifier: MIT
// Which revision to speak with a server of which nothing is known. The modern era is tried first; a server that does
// not understand gets the handshake of the era before. Not for HTTP's status codes: those are the transport's.
#pragma once

#include <optional>
#include <string>

#include "../runtime/task.hpp"
#include "../transports/peer.hpp"
#include "client_profile.hpp"

namespace hawser {

struct probe_verdict {
  std::optional<agreement> modern{};  ///< nothing: the server is of the legacy era
  bool by_silence = false;            ///< it said nothing, which is weaker than an answer
};

/// Asks `server/discover`. The server is of the legacy era if it answered anything that is not modern, or stayed silent
/// for `bound`, which over HTTP is an error. An error is never a verdict: errc::closed, for one, if the question killed
/// it.
task<result<probe_verdict>> probe(peer& to, const client_profile& who, duration bound);

/// The legacy handshake. An error of the server with protocol::code::unsupported_version is one of the modern era.
/// With `pinned`, no other revision than the offered one will do.
task<result<agreement>> initialize(peer& to, const client_profile& who, std::string revision, bool pinned,
                                   duration bound);

}  // namespace hawser

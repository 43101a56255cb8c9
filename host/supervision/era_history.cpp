// SPDX-License-Identifier: MIT
#include "era_history.hpp"

#include "../../transports/jsonrpc/protocol.hpp"

namespace hawser {

void era_history::restore(const cached_server& cached) {
  last_probed_ = cached.last_probed;
  if (!cached.revision.empty() && !protocol::modern(cached.revision)) legacy_since_ = cached.last_probed;
}

session::open_mode era_history::open_mode(protocol_choice::kind configured, std::int64_t now) const {
  switch (configured) {
    case protocol_choice::kind::legacy: return session::open_mode::legacy;
    case protocol_choice::kind::modern: return session::open_mode::modern;
    case protocol_choice::kind::automatic: break;
  }
  // A legacy era expires, because the server may have been upgraded. A modern era needs no expiry, because every start
  // probes for it.
  const bool legacy = legacy_since_ && server_cache::is_recent({.last_probed = *legacy_since_}, now);
  return legacy ? session::open_mode::legacy : session::open_mode::probe;
}

void era_history::on_negotiated(session::evidence evidence, bool modern, std::int64_t now) {
  if (evidence == session::evidence::none) return;
  last_probed_ = evidence == session::evidence::answer ? now : 0;
  legacy_since_ = modern ? std::nullopt : std::optional{now};
}

void era_history::on_exit_at_probe(std::int64_t now) {
  legacy_since_ = now;
  last_probed_ = now;
}

}  // namespace hawser

// SPDX-License-Identifier: MIT
// What earlier starts of a server found out about its era, and which era the next start assumes. No I/O: server_cache
// keeps it between runs.
#pragma once

#include <cstdint>
#include <optional>

#include "../config/settings.hpp"
#include "../session/session.hpp"
#include "server_cache.hpp"

namespace hawser {

/// Times are in seconds since 1970.
class era_history {
 public:
  /// From an earlier run.
  void restore(const cached_server& cached);
  [[nodiscard]] session::open_mode open_mode(protocol_choice::kind configured, std::int64_t now) const;

  /// A session was negotiated. An era is as old as the probe that determined it: a start without a probe does not
  /// refresh it; otherwise a server used daily would never be probed again. A probe timeout is valid for this process
  /// only.
  void on_negotiated(session::evidence evidence, bool modern, std::int64_t now);
  /// The server exited on the probe, which counts as its answer: it is legacy.
  void on_exit_at_probe(std::int64_t now);
  /// A server that was assumed to be legacy refused the handshake.
  void on_handshake_refused() { legacy_since_.reset(); }

  /// When the server last answered the probe; 0 = never.
  [[nodiscard]] std::int64_t last_probed() const noexcept { return last_probed_; }

 private:
  std::optional<std::int64_t> legacy_since_;  // when the legacy era was detected
  std::int64_t last_probed_ = 0;
};

}  // namespace hawser

// SPDX-License-Identifier: MIT
// The settings of a server_session: revisions, limits and timeouts.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "../runtime/io/byte_budget.hpp"
#include "../transports/jsonrpc/protocol.hpp"
#include "pending_inputs.hpp"
#include "revision_adapter.hpp"

namespace hawser {

struct server_session_options {
  /// Oldest first. An era is served if one of its revisions is listed.
  std::vector<std::string_view> revisions{protocol::revision::all.begin(), protocol::revision::all.end()};
  std::size_t page_size = 100;
  std::size_t max_requests = 256;        ///< in progress at once, including subscriptions; more are refused
  std::size_t max_subscriptions = 1024;  ///< resource subscriptions of one client
  /// The limit in bytes for requests in progress and for responses to input requests; more are refused. It applies to
  /// each session and, if sessions share `shared_request_budget`, to their total as well.
  std::size_t max_request_bytes = std::size_t{64} << 20;
  std::shared_ptr<byte_budget> shared_request_budget{};
  revision_adapter::cache_hint default_cache_hint{};  ///< for results for which the service sets no hint
  pending_inputs::limits rounds{};
  /// The store that a retry is resolved against, if it is shared: over HTTP each modern request has a session of its
  /// own. Null: the session's own store, with the limits above.
  std::shared_ptr<pending_inputs> shared_pending_inputs{};
  duration input_timeout = std::chrono::minutes{10};  ///< for the user's response to an input request
  /// How long requests received before the client closed its end may still be answered: the client may be a shell
  /// pipeline.
  duration linger = std::chrono::milliseconds{500};

  [[nodiscard]] bool serves_modern() const noexcept { return !revisions.empty() && protocol::modern(revisions.back()); }
  [[nodiscard]] bool serves_legacy() const noexcept {
    return !revisions.empty() && !protocol::modern(revisions.front());
  }
};

}  // namespace hawser

// SPDX-License-Identifier: MIT
// The settings of a serving_session: which revisions it speaks, its limits, its patience.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "../runtime/byte_budget.hpp"
#include "../transports/protocol.hpp"
#include "input_rounds.hpp"
#include "shape.hpp"

namespace hawser {

struct serving_options {
  /// Oldest first. Both eras are served where both have a revision here.
  std::vector<std::string_view> revisions{protocol::revision::all.begin(), protocol::revision::all.end()};
  std::size_t page_size = 100;
  std::size_t max_requests = 256;  ///< under way at once, subscriptions included; beyond it they are refused
  std::size_t max_watched = 1024;  ///< resources that one client has subscribed to
  /// Of the requests under way, and of answers to questions; beyond it they are refused. Each session's, and where
  /// several sessions share `held_overall`, all of theirs.
  std::size_t max_held = std::size_t{64} << 20;
  std::shared_ptr<byte_budget> held_overall{};
  shape::cache_hint keep{};  ///< of what the service itself says nothing about
  input_rounds::limits rounds{};
  /// Where a client that comes again is known from, if not from this session alone: over HTTP each request of the era
  /// without a handshake has a session of its own. Null: the session's own, with the limits above.
  std::shared_ptr<input_rounds> known_rounds{};
  duration answer_patience = std::chrono::minutes{10};  ///< with a user who was asked something
  /// What had come before the client closed its end may still be answered, for so long: it may be a pipeline.
  duration linger = std::chrono::milliseconds{500};

  [[nodiscard]] bool serves_modern() const noexcept { return !revisions.empty() && protocol::modern(revisions.back()); }
  [[nodiscard]] bool serves_legacy() const noexcept {
    return !revisions.empty() && !protocol::modern(revisions.front());
  }
};

}  // namespace hawser

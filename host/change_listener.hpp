// SPDX-License-Identifier: MIT
// The modern era's way to hear of changes: one `subscriptions/listen` that stays open, is renewed when it should hear
// of something else, and is opened again when the server ends it. The legacy era just sends its notifications.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "../runtime/event.hpp"
#include "../runtime/task.hpp"
#include "../transports/peer.hpp"

namespace hawser {

class change_listener {
 public:
  /// `meta`: the members of `_meta`. `missed` is told when changes may have passed unheard. Both live as long.
  change_listener(peer& to, const std::string& meta, std::function<void()> missed)
      : peer_(to), meta_(meta), missed_(std::move(missed)) {}

  /// What to hear of, the JSON object `notifications` of the request; empty = nothing.
  void want(std::string filter);
  /// Whether a notification was sent for this listener.
  [[nodiscard]] bool is_meant(std::string_view params) const;
  /// The server says that it ended the request of this id.
  void ended(std::int64_t request) noexcept;

  /// Listens until it is stopped.
  task<void> run();

 private:
  task<result<raw_json>> listen();
  task<result<void>> interrupted();

  peer& peer_;
  const std::string& meta_;
  std::function<void()> missed_;
  std::string filter_;
  event interrupted_;  // the filter changed, or the server ended it
  bool changed_ = false;
  std::int64_t id_ = 0;
};

/// The id of the request that a notification belongs to; 0 if it names none of ours.
std::int64_t subscription_of(std::string_view params);

}  // namespace hawser

// SPDX-License-Identifier: MIT
// Change notifications of the modern era: keeps one `subscriptions/listen` request open, replaces it when the filter
// changes, and reopens it when the server ends it. Legacy servers send notifications without a subscription.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "../../runtime/async/event.hpp"
#include "../../runtime/async/scope.hpp"
#include "../../runtime/async/task.hpp"
#include "../../transports/jsonrpc/peer.hpp"

namespace hawser {

class change_listener {
 public:
  struct callbacks {
    std::function<void()> on_missed{};                     ///< changes may have been missed
    std::function<void(const std::string&)> on_warning{};  ///< a warning: part of the filter was refused
  };
  /// `meta`: the members of `_meta`. It and everything that `handlers` refer to must outlive the listener.
  change_listener(peer& connection, const std::string& meta, callbacks handlers)
      : peer_(connection), meta_(meta), callbacks_(std::move(handlers)) {}

  /// The filter: the JSON object `notifications` of the request; empty = none.
  void set_filter(std::string filter);
  /// Whether a notification belongs to one of this listener's subscriptions.
  [[nodiscard]] bool is_subscribed(std::string_view params) const;
  /// Handles subscriptions/acknowledged. Returns whether it is the first acknowledgement of the current subscription.
  bool on_acknowledged(std::string_view params);
  /// Handles notifications/cancelled for the request with this id.
  void on_cancelled(std::int64_t request) noexcept;
  /// How many items of the filter the server did not acknowledge.
  [[nodiscard]] std::size_t unacknowledged() const noexcept { return unacknowledged_; }
  /// False once the server has answered that the method does not exist; it is not tried again.
  [[nodiscard]] bool is_supported() const noexcept { return supported_; }

  /// Listens until stopped.
  task<void> run();

 private:
  // One subscriptions/listen request.
  struct subscription {
    std::string filter{};
    time_point began{};
    std::int64_t id = 0;
    bool acknowledged = false;
    bool over = false;
    std::optional<error> failure{};  // set if it ended other than by its result
    event closing{};
  };

  task<void> keep_open(scope& subscriptions);
  task<void> wait_until(std::optional<time_point> due);
  task<bool> wait_to_reopen();
  task<result<raw_json>> listen(subscription& opened);
  task<result<void>> interrupted();
  static task<void> run_subscription(change_listener& self, std::shared_ptr<subscription> opened);
  static void end(std::shared_ptr<subscription>& ended) noexcept;

  peer& peer_;
  const std::string& meta_;
  callbacks callbacks_;
  std::string filter_;
  event interrupted_;  // wakes run()
  std::shared_ptr<subscription> current_;
  std::shared_ptr<subscription> previous_;  // with another filter; kept until current_ is acknowledged
  duration pause_{};
  std::size_t unacknowledged_ = 0;
  bool supported_ = true;
};

/// The subscription id in a notification's `_meta`; 0 if there is none of ours.
std::int64_t subscription_of(std::string_view params);

}  // namespace hawser

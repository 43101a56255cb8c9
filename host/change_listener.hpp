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

#include "../runtime/event.hpp"
#include "../runtime/scope.hpp"
#include "../runtime/task.hpp"
#include "../transports/peer.hpp"

namespace hawser {

class change_listener {
 public:
  struct ears {
    std::function<void()> missed{};                    ///< changes may have been missed
    std::function<void(const std::string&)> remark{};  ///< a warning: part of the filter was refused
  };
  /// `meta`: the members of `_meta`. It and everything that `with` refers to must outlive the listener.
  change_listener(peer& to, const std::string& meta, ears with) : peer_(to), meta_(meta), ears_(std::move(with)) {}

  /// The filter: the JSON object `notifications` of the request; empty = none.
  void want(std::string filter);
  /// Whether a notification belongs to one of this listener's subscriptions.
  [[nodiscard]] bool is_meant(std::string_view params) const;
  /// Handles subscriptions/acknowledged. Returns whether it is the first acknowledgement of the current subscription.
  bool acknowledged(std::string_view params);
  /// Handles notifications/cancelled for the request with this id.
  void ended(std::int64_t request) noexcept;
  /// How many items of the filter the server did not acknowledge.
  [[nodiscard]] std::size_t unheard() const noexcept { return unheard_; }
  /// False once the server has answered that the method does not exist; it is not tried again.
  [[nodiscard]] bool is_offered() const noexcept { return offered_; }

  /// Listens until stopped.
  task<void> run();

 private:
  // One subscriptions/listen request.
  struct hearing {
    std::string filter{};
    time_point began{};
    std::int64_t id = 0;
    bool acknowledged = false;
    bool over = false;
    std::optional<error> why{};  // set if it ended other than by its result
    event closing{};
  };

  task<void> keep_open(scope& open);
  task<void> wait_until(std::optional<time_point> due);
  task<bool> reopens();
  task<result<raw_json>> listen(hearing& one);
  task<result<void>> interrupted();
  static task<void> hold(change_listener& self, std::shared_ptr<hearing> one);
  static void end(std::shared_ptr<hearing>& one) noexcept;

  peer& peer_;
  const std::string& meta_;
  ears ears_;
  std::string filter_;
  event interrupted_;  // wakes run()
  std::shared_ptr<hearing> current_;
  std::shared_ptr<hearing> previous_;  // with another filter; kept until current_ is acknowledged
  duration pause_{};
  std::size_t unheard_ = 0;
  bool offered_ = true;
};

/// The subscription id in a notification's `_meta`; 0 if there is none of ours.
std::int64_t subscription_of(std::string_view params);

}  // namespace hawser

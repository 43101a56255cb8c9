// SPDX-License-Identifier: MIT
// The modern era's way to hear of changes: one `subscriptions/listen` that stays open, is renewed when it should hear
// of something else, and is opened again when the server ends it. The legacy era just sends its notifications.
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
    std::function<void()> missed{};                    ///< changes may have passed unheard
    std::function<void(const std::string&)> remark{};  ///< something that was asked for will not be told
  };
  /// `meta`: the members of `_meta`. Both it and what `with` refers to live as long.
  change_listener(peer& to, const std::string& meta, ears with) : peer_(to), meta_(meta), ears_(std::move(with)) {}

  /// What to hear of, the JSON object `notifications` of the request; empty = nothing.
  void want(std::string filter);
  /// Whether a notification was sent for this listener.
  [[nodiscard]] bool is_meant(std::string_view params) const;
  /// The server says what of the filter it will tell.
  /// Whether it acknowledges the current filter, and is the first to do so.
  bool acknowledged(std::string_view params);
  /// The server says that it ended the request of this id.
  void ended(std::int64_t request) noexcept;
  /// How much of what is wanted the server will not tell, as far as it has said so.
  [[nodiscard]] std::size_t unheard() const noexcept { return unheard_; }
  /// False once the server has said that it does not know such a request; nobody asks again then.
  [[nodiscard]] bool is_offered() const noexcept { return offered_; }

  /// Listens until it is stopped.
  task<void> run();

 private:
  // One request, from its sending to its end.
  struct hearing {
    std::string filter{};
    time_point began{};
    std::int64_t id = 0;
    bool acknowledged = false;
    bool over = false;
    std::optional<error> why{};  // it ended otherwise than by its result
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
  event interrupted_;  // something for run() to look at
  std::shared_ptr<hearing> current_;
  std::shared_ptr<hearing> previous_;  // with another filter, until the current one is acknowledged
  duration pause_{};
  std::size_t unheard_ = 0;
  bool offered_ = true;
};

/// The id of the request that a notification belongs to; 0 if it names none of ours.
std::int64_t subscription_of(std::string_view params);

}  // namespace hawser

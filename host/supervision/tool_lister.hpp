// SPDX-License-Identifier: MIT
// Reads the tools of a server's current session into its rows, and knows whether that list is still the server's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "change_delay.hpp"
#include "session_slot.hpp"
#include "tool_rows.hpp"

namespace hawser {

class tool_lister {
 public:
  tool_lister(const configured_server& server, session_slot& slot, tool_rows& rows)
      : server_(server), slot_(slot), rows_(rows), changes_(server.shared().settings.list_changed_delay) {}
  tool_lister(const tool_lister&) = delete;
  tool_lister& operator=(const tool_lister&) = delete;
  ~tool_lister() = default;

  /// A new start: no list of its session has been read.
  void on_start() noexcept { listed_ = false; }
  /// If it fails, the old list stays published. Sets the slot's changed() in both cases.
  task<result<void>> list();
  /// A list that the session has read by itself.
  void accept(const tool_listing& listing);
  /// The server says that its tools have changed, or a call needs them listed again.
  void on_change() { changes_.on_change(server_.event_loop().now()); }
  /// When list() is due; nullopt if nothing has changed.
  [[nodiscard]] std::optional<time_point> due() const noexcept { return changes_.due(); }

  /// Whether the tools have changed since they were listed. Irrelevant if only name patterns apply, as names do not
  /// change their meaning.
  [[nodiscard]] bool outdated() const;
  [[nodiscard]] bool is_list_expected() const noexcept { return listing_ || changes_.pending(); }
  [[nodiscard]] tool_list_state state() const;
  /// How many lists could not be read since the program started.
  [[nodiscard]] std::uint64_t failures() const noexcept { return failures_; }

  /// The first list after a start could not be read.
  void set_start_failure(error why) { start_failure_ = std::move(why); }
  /// Why the tools are not listed; null if they are, or were not listed yet.
  [[nodiscard]] const error* start_failure() const noexcept {
    return listed_ || !start_failure_ ? nullptr : &*start_failure_;
  }
  /// The last list, if it has not been taken yet: for the cache.
  [[nodiscard]] bool has_unsaved() const noexcept { return unsaved_ != nullptr; }
  std::shared_ptr<const tool_list> take_unsaved() noexcept { return std::exchange(unsaved_, nullptr); }

 private:
  task<result<void>> read_list();

  const configured_server& server_;
  session_slot& slot_;
  tool_rows& rows_;
  change_delay changes_;
  bool listed_ = false;               // since the last start
  bool listing_ = false;              // list() is in progress
  std::uint64_t listed_changes_ = 0;  // session::tool_changes() when the list was read
  std::uint64_t failures_ = 0;
  std::optional<error> start_failure_;
  std::shared_ptr<const tool_list> unsaved_;
};

}  // namespace hawser

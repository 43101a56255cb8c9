// SPDX-License-Identifier: MIT
// Notifications from a session to its owner.
#pragma once

#include <string>
#include <string_view>

#include "../../runtime/async/task.hpp"
#include "../../runtime/error.hpp"
#include "../../transports/jsonrpc/list_kind.hpp"

namespace hawser {

struct tool_listing;

/// Called on the loop thread; views are valid during the call.
class session_listener {
 public:
  virtual void on_list_changed(list_kind kind) = 0;
  virtual void on_resource_updated(std::string_view uri) = 0;
  /// `data` is JSON.
  virtual void on_log_message(std::string_view level, std::string_view data) = 0;
  virtual void on_other_notification(std::string_view method, std::string_view params) = 0;
  /// The server refused a call of `tool` with a header mismatch. `listing` is the new tool list. The result says
  /// whether the call may be retried.
  virtual result<void> on_tools_relisted(std::string_view /*tool*/, const tool_listing& /*listing*/) { return {}; }
  /// Whether a call of `tool` may be sent now, as far as its tools are known.
  [[nodiscard]] virtual result<void> admits_call(std::string_view /*tool*/) const { return {}; }
  /// A call of `tool` is about to be sent once more, because the server asked for input, or because
  /// admits_call() refused it: whether it still may be. Waits for a new list of tools if they have changed.
  virtual task<result<void>> admits_retry(std::string tool);
  /// Every pending call has ended by now; close() is still due.
  virtual void on_session_closed(const error& reason) = 0;

 protected:
  ~session_listener() = default;
};

inline task<result<void>> session_listener::admits_retry(std::string /*tool*/) { co_return result<void>{}; }

}  // namespace hawser

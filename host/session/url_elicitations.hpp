// SPDX-License-Identifier: MIT
// Pages that a server wants the user to visit before it accepts a call (error −32042, legacy era): asks the user for
// consent and waits until the server reports that the user is done. Does not repeat the call.
#pragma once

#include <string>
#include <vector>

#include "../../runtime/async/event.hpp"
#include "../../runtime/async/task.hpp"
#include "../../runtime/error.hpp"
#include "input_dispatcher.hpp"

namespace hawser {

class url_elicitations {
 public:
  /// All of them outlive this object. No wait lasts longer than until `closing` is set.
  url_elicitations(const input_dispatcher& dispatcher, const std::string& server_name, event& closing)
      : dispatcher_(dispatcher), server_name_(server_name), closing_(closing) {}

  /// Handles notifications/elicitation/complete.
  void on_complete(std::string id);
  /// The pages of the error's data, one after the other. If there are none, or the user declines one, the result is
  /// the error `required` itself.
  task<result<void>> visit(const error& required);

 private:
  task<result<void>> wait_for_completion(std::string id);

  const input_dispatcher& dispatcher_;
  const std::string& server_name_;
  event& closing_;
  std::vector<std::string> completed_;  // the most recent ids that the server reported complete
  event completion_;
};

}  // namespace hawser

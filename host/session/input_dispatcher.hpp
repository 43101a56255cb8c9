// SPDX-License-Identifier: MIT
// Dispatches the servers' input requests (legacy requests and modern input_required results) to the handlers of the
// embedding program.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "input_handlers.hpp"

namespace hawser {

class input_dispatcher {
 public:
  input_dispatcher(loop_proxy_ptr proxy, executor handler_executor, input_handlers handlers)
      : proxy_(std::move(proxy)), executor_(std::move(handler_executor)), handlers_(std::move(handlers)) {}

  [[nodiscard]] const input_handlers& handlers() const noexcept { return handlers_; }

  /// Returns the result of one input request as JSON text. errc::remote with the JSON-RPC code if there is no handler,
  /// the request is invalid, or it was declined and the method has no result for that. `asking` is called just before a
  /// user or model is asked.
  task<result<std::string>> answer(std::string server, std::string method, std::string params,
                                   std::function<void()> asking = {}) const;
  /// Whether the user agrees to visit the page. What happens on the page is not tracked.
  task<result<elicitation_answer::action>> consent(url_request request, std::function<void()> asking = {}) const;

 private:
  task<result<std::string>> elicit(std::string server, boost::json::object params, std::function<void()> asking) const;
  task<result<std::string>> sample(std::string server, boost::json::object params, std::function<void()> asking) const;
  task<result<std::string>> list_roots(std::string server) const;

  loop_proxy_ptr proxy_;
  executor executor_;
  input_handlers handlers_;
};

}  // namespace hawser

// SPDX-License-Identifier: MIT
// Where the wishes of servers arrive, as requests of the legacy era or inside results of the modern one, and are passed
// to the callbacks of the embedding program.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "input.hpp"

namespace hawser {

class input_desk {
 public:
  input_desk(door_ref way, executor where, input_handlers handlers)
      : way_(std::move(way)), where_(std::move(where)), handlers_(std::move(handlers)) {}

  [[nodiscard]] const input_handlers& handlers() const noexcept { return handlers_; }

  /// The result of one such request, as JSON text. errc::remote, with the code that JSON-RPC wants for it, if nobody is
  /// there to be asked, the request makes no sense, or it was declined where declining is not a result.
  /// `asking` is called when a user or a model is about to be asked.
  task<result<std::string>> answer(std::string server, std::string method, std::string params,
                                   std::function<void()> asking = {}) const;
  /// Whether the user agrees to visit the page; what he does there is not our business.
  task<result<elicitation_answer::action>> consent(url_request request, std::function<void()> asking = {}) const;

 private:
  task<result<std::string>> elicit(std::string server, boost::json::object params, std::function<void()> asking) const;
  task<result<std::string>> sample(std::string server, boost::json::object params, std::function<void()> asking) const;
  task<result<std::string>> list_roots(std::string server) const;

  door_ref way_;
  executor where_;
  input_handlers handlers_;
};

}  // namespace hawser

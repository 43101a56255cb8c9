// SPDX-License-Identifier: MIT
// What servers may ask of the program and the people behind it: forms, visits to a web page, a model's answer, folders.
// One callback for each, whichever revision the server speaks. A capability is declared only where its callback is set.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "reply.hpp"

namespace hawser {

/// Texts come from the server: show who asks, escape what is shown.
struct form_request {
  std::string server{};
  std::string message{};
  boost::json::object schema{};  ///< a flat object of primitive members

  /// What the form shows before the user has changed anything: the schema's defaults, without those that the schema
  /// itself does not allow. For the user to look at; nothing but the content of the answer is ever sent.
  [[nodiscard]] boost::json::object prefilled() const;
};

struct url_request {
  std::string server{};
  std::string message{};
  std::string url{};  ///< to be shown whole, and opened only if the user agrees; never fetched by us
};

struct elicitation_answer {
  enum class action : std::uint8_t { accept, decline, cancel };
  action what = action::decline;
  /// Of an accepted form, and sent as it is: nothing is added. What does not satisfy the schema is not sent, and the
  /// server gets an error instead.
  boost::json::object content{};
};

struct sampling_request {
  std::string server{};
  boost::json::object params{};  ///< of sampling/createMessage
};

struct root {
  std::string uri{};  ///< file://…
  std::string name{};
};

struct roots_request {
  std::string server{};
};

struct input_handlers {
  std::function<void(form_request, reply<elicitation_answer>)> form{};
  std::function<void(url_request, reply<elicitation_answer>)> url{};
  /// The answer is the result of sampling/createMessage: role, content, model, stopReason.
  std::function<void(sampling_request, reply<boost::json::object>)> sampling{};
  bool sampling_has_tools = false;  ///< whether the callback understands `tools` and `toolChoice`
  std::function<void(roots_request, reply<std::vector<root>>)> roots{};
};

}  // namespace hawser

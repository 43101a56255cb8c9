// SPDX-License-Identifier: MIT
// Input that servers may request: forms, visits to a web page, sampling, roots. One callback each, for all protocol
// revisions. A capability is declared only if its callback is set.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "../../runtime/async/reply.hpp"

namespace hawser {

/// The text comes from the server: show which server asks, and escape what is shown.
struct form_request {
  std::string server{};
  std::string message{};
  boost::json::object schema{};  ///< a flat object of primitive members

  /// Initial values of the form: the schema's defaults, without those that violate the schema. For display only; only
  /// the content of the answer is sent.
  [[nodiscard]] boost::json::object prefilled() const;
};

struct url_request {
  std::string server{};
  std::string message{};
  std::string url{};  ///< show the whole URL and open it only if the user agrees; Hawser never fetches it
};

struct elicitation_answer {
  enum class action : std::uint8_t { accept, decline, cancel };
  action what = action::decline;
  /// The content of an accepted form, sent unchanged. If it violates the schema, it is not sent, and the server gets an
  /// error.
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
  bool sampling_has_tools = false;  ///< whether the callback supports `tools` and `toolChoice`
  std::function<void(roots_request, reply<std::vector<root>>)> roots{};
};

}  // namespace hawser

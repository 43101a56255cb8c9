// SPDX-License-Identifier: MIT
// The user and the model of a host in the interop tests: respond at once with what a test has set, and record the
// requests.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "../../host/session/input_handlers.hpp"

namespace hawser::testing {

struct interop_user {
  // The responses.
  /// each form gets the members of its content that it asks for, in addition to its defaults
  elicitation_answer form{};
  elicitation_answer url{};
  std::optional<boost::json::object> sample{};  ///< nullopt: declined
  bool thinks = false;                          ///< delays every sampling response until the test ends
  std::vector<root> roots{};

  // The requests received.
  std::vector<form_request> forms{};
  std::vector<url_request> pages{};
  std::vector<sampling_request> prompts{};
  std::vector<roots_request> looks{};

  /// They refer to this object; `heard` is called after every request.
  input_handlers handlers(std::function<void()> heard) {
    input_handlers all;
    all.form = [this, heard](form_request asked, reply<elicitation_answer> answer) {
      forms.push_back(std::move(asked));
      answer(filled_in(forms.back()));
      heard();
    };
    all.url = [this, heard](url_request asked, reply<elicitation_answer> answer) {
      pages.push_back(std::move(asked));
      answer(url);
      heard();
    };
    all.sampling = [this, heard](sampling_request asked, reply<boost::json::object> answer) {
      prompts.push_back(std::move(asked));
      if (thinks) {
        open_.push_back(std::move(answer));
      } else if (sample) {
        answer(*sample);
      }
      heard();
    };
    all.roots = [this, heard](roots_request asked, reply<std::vector<root>> answer) {
      looks.push_back(std::move(asked));
      answer(roots);
      heard();
    };
    return all;
  }

 private:
  [[nodiscard]] elicitation_answer filled_in(const form_request& asked) const {
    elicitation_answer answer{.what = form.what};
    const boost::json::value* properties = asked.schema.if_contains("properties");
    if (form.what != elicitation_answer::action::accept || properties == nullptr) return answer;
    answer.content = asked.prefilled();
    for (const auto& member : form.content) {
      if (properties->as_object().contains(member.key())) answer.content.insert_or_assign(member.key(), member.value());
    }
    return answer;
  }

  std::vector<reply<boost::json::object>> open_;
};

}  // namespace hawser::testing

// SPDX-License-Identifier: MIT
// The user and the model behind a host in the interop tests: they answer at once what a test told them to say, and
// write down what they were asked.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "../../host/input.hpp"

namespace hawser::testing {

struct interop_user {
  // What is said.
  elicitation_answer form{};  ///< of its content each form gets what it asks for, beside what it is prefilled with
  elicitation_answer url{};
  std::optional<boost::json::object> sample{};  ///< nothing: declined
  bool thinks = false;                          ///< about every sample, as long as the test lasts
  std::vector<root> roots{};

  // What was asked.
  std::vector<form_request> forms{};
  std::vector<url_request> pages{};
  std::vector<sampling_request> prompts{};
  std::vector<roots_request> looks{};

  /// They point to this object; `heard` is called after every question.
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

// SPDX-License-Identifier: MIT
// Records how a call through a hub ended, and how often: tests expect exactly once.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "../../host/hub.hpp"
#include "contains.hpp"

namespace hawser::testing {

struct call_outcome {
  int ends = 0;
  std::string text{};
  std::optional<error> failure{};
  std::chrono::steady_clock::time_point at{};

  [[nodiscard]] bool failed_with(errc code, execution executed) const {
    return ends == 1 && failure.has_value() && failure->code == code && failure->executed == executed;
  }
  [[nodiscard]] std::string said() const { return failure ? failure->what : text; }
};

/// Makes a call and records its outcome.
inline task<void> record_call(hub& to, call_outcome& into, std::string tool, std::string arguments,
                              request_options settings = {}) {
  auto answer = co_await to.call(std::move(tool), std::move(arguments), std::move(settings));
  ++into.ends;
  into.at = std::chrono::steady_clock::now();
  if (answer) {
    into.text = answer->text();
  } else {
    into.failure = answer.error();
  }
}

}  // namespace hawser::testing

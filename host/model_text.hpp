// SPDX-License-Identifier: MIT
// What a model is told of a call, whatever became of it: the tool's own words, or a sentence it can act on.
#pragma once

#include <string>

#include "envelope.hpp"

namespace hawser {

struct model_text {
  bool error = false;  ///< the tool said no, or there is no result
  std::string output{};

  /// `{"error":…,"output":"…"}`
  [[nodiscard]] std::string to_json() const;
};

/// An error of ours also says whether the call may have been executed: a model that repeats it should know.
model_text render_for_model(const result<envelope>& outcome);

}  // namespace hawser

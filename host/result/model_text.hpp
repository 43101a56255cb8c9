// SPDX-License-Identifier: MIT
// The text that a model gets for a call: the tool's output, or a sentence about the error.
#pragma once

#include <string>

#include "envelope.hpp"

namespace hawser {

struct model_text {
  bool error = false;  ///< isError, or there is no result
  std::string output{};

  /// `{"error":…,"output":"…"}`
  [[nodiscard]] std::string to_json() const;
};

/// For an error, also says whether the call may have been executed, in case the model retries it.
model_text render_for_model(const result<envelope>& outcome);

}  // namespace hawser

// SPDX-License-Identifier: MIT
#include "timeout.hpp"

namespace hawser::detail {

std::string timeout_text(duration bound) {
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(bound).count();
  if (ms % 1000 == 0) return "timed out after " + std::to_string(ms / 1000) + " s";
  return "timed out after " + std::to_string(ms) + " ms";
}

}  // namespace hawser::detail

// SPDX-License-Identifier: MIT
// Severity of log messages that a server sends to its client: the eight levels of the protocol, which are those of
// syslog.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace hawser {

enum class severity : std::uint8_t { debug, info, notice, warning, error, critical, alert, emergency };

inline constexpr std::array<std::string_view, 8> severity_words{"debug", "info",     "notice", "warning",
                                                                "error", "critical", "alert",  "emergency"};

constexpr std::string_view to_string(severity grave) noexcept {
  return severity_words[static_cast<std::size_t>(grave)];
}

constexpr std::optional<severity> severity_of(std::string_view word) noexcept {
  for (std::size_t i = 0; i < severity_words.size(); ++i) {
    if (severity_words[i] == word) return static_cast<severity>(i);
  }
  return std::nullopt;
}

}  // namespace hawser

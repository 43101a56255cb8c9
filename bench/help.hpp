// SPDX-License-Identifier: MIT
// The text that `hawser-bench QUESTION --help` prints below the options: what the figures mean, and an example.
#pragma once

#include <string>
#include <string_view>

namespace hawser::bench {

/// Empty: there is no such benchmark.
std::string help_of(std::string_view question);

}  // namespace hawser::bench

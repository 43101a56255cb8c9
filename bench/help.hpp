// SPDX-License-Identifier: MIT
// What `hawser-bench QUESTION --help` says below the options: a paragraph on what the figures mean, and an example.
#pragma once

#include <string>
#include <string_view>

namespace hawser::bench {

/// Empty: there is no such question.
std::string help_of(std::string_view question);

}  // namespace hawser::bench

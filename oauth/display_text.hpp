// SPDX-License-Identifier: MIT
// Prepares text from an authorization server for display: one short line without control, invisible or reordering
// characters. Terminal output is escaped again elsewhere.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "../runtime/redaction.hpp"

namespace hawser {

/// At most `most_bytes`, then "...", cut at a character boundary. Invalid UTF-8 becomes question marks.
std::string display_text(std::string_view said, std::size_t most_bytes = 200);

/// For text that may echo secrets: redacted before it is truncated.
std::string display_text(std::string_view said, const redaction& hidden, std::size_t most_bytes = 200);

/// A configured URL without its query, which may contain keys.
std::string url_without_query(std::string_view url);

}  // namespace hawser

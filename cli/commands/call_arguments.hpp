// SPDX-License-Identifier: MIT
// Builds the JSON object that a tool is called with from command-line arguments. Pure: the caller has read stdin.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "../../runtime/error.hpp"

namespace hawser::cli {

/// No arguments give `{}`. A single argument that begins with `{` is the object itself. Otherwise each is `key=value`
/// or `key:=json`.
///
/// A value is interpreted according to the tool's input schema: as a string, or as JSON of one of the allowed types.
/// If the schema gives no type, it is JSON if it parses as such, else a string. The key of an array may be repeated,
/// once per element. errc::parse names the key.
result<std::string> call_arguments(std::span<const std::string> words, std::string_view input_schema);

/// Accepts `key=value` only; all values are strings. For prompts and completions.
result<std::string> text_arguments(std::span<const std::string> words);

}  // namespace hawser::cli

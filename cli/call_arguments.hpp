// SPDX-License-Identifier: MIT
// From the words behind a tool's name to the JSON object that it is called with. Pure: whoever calls has read stdin.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "../runtime/error.hpp"

namespace hawser::cli {

/// No words are `{}`. One word that begins with `{` is the object itself. Else each is `key=value` or `key:=json`.
///
/// A value is what the tool's input schema says of its key: a text as it stands, or JSON of one of the types. Where the
/// schema says nothing, it is JSON if it can be read as such, else a text. A key of an array may be given more than
/// once, an element each. errc::parse names the key.
result<std::string> call_arguments(std::span<const std::string> words, std::string_view input_schema);

/// `key=value` only, all of them texts: what prompts and completions take.
result<std::string> text_arguments(std::span<const std::string> words);

}  // namespace hawser::cli

// SPDX-License-Identifier: MIT
// Content blocks of a tool result (text, image, audio, resources), and the text that a model reads in their place.
// Their content is untrusted.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../../runtime/error.hpp"

namespace hawser {

/// How resources appear in text. In settings: "text" and "json".
enum class resource_form : std::uint8_t {
  text,  ///< the resource's own text, or `[resource: <uri>]`
  json,  ///< the block as it was sent
};

/// A block of a known type. A block of an unknown type becomes a text block with its JSON.
struct content_block {
  enum class kind : std::uint8_t { text, image, audio, resource, resource_link };
  kind type = kind::text;
  std::string text{};       ///< of a text block or a text resource
  std::string data{};       ///< base64, as sent: image, audio, or a binary resource
  std::string mime_type{};  ///< empty = not stated
  std::string uri{};        ///< of resources and resource links
  std::string name{};       ///< of resource links
};

/// The limit for the blocks of one result: each becomes an object.
inline constexpr std::size_t most_content_blocks = 100'000;

/// From the JSON of a `content` array; errc::protocol if it is not one, errc::too_large if it has too many blocks.
result<std::vector<content_block>> parse_content_blocks(std::string_view content);

// Precondition of all below: `content` is a valid JSON array.
namespace detail {
std::vector<content_block> blocks_of(std::string_view content);
/// The blocks as sent, except blocks of unknown types, which become text blocks. check_json_tree() accepts the result.
boost::json::value blocks_as_json(std::string_view content);
/// Text blocks joined by line feeds; other blocks are mentioned, not inlined. Empty if there is no content.
std::string text_of_blocks(std::string_view content, resource_form resources);
/// The texts concatenated without changes. errc::protocol names the first block that is not text.
result<std::string> exact_text_of_blocks(std::string_view content);
/// Removes whitespace between tokens.
std::string compact_json(std::string_view json);
}  // namespace detail

}  // namespace hawser

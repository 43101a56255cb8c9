// SPDX-License-Identifier: MIT
// What a tool answers with: blocks of text, images, sound and resources, and the one text that a model reads instead of
// them. Their bytes come from servers and are not to be trusted with anything.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../runtime/error.hpp"

namespace hawser {

/// How resources stand in a text. In settings: "text" and "json".
enum class resource_form : std::uint8_t {
  text,  ///< the resource's own text, or `[resource: <uri>]`
  json,  ///< the block as it was sent
};

/// A block of a kind we know. One that we do not know is a text: its JSON.
struct content_block {
  enum class kind : std::uint8_t { text, image, audio, resource, resource_link };
  kind type = kind::text;
  std::string text{};       ///< of a text, or of a resource that is one
  std::string data{};       ///< base64, as sent: an image, a sound, or a resource that is no text
  std::string mime_type{};  ///< empty = not said
  std::string uri{};        ///< of resources and links
  std::string name{};       ///< of links
};

/// From the JSON of a `content` array. errc::protocol if it is none.
result<std::vector<content_block>> map_content_blocks(std::string_view content);

// Precondition of all below: `content` is a valid JSON array.
namespace detail {
std::vector<content_block> blocks_of(std::string_view content);
/// The blocks as they were sent, but for those of unknown kinds, which have become texts. check_json_tree() accepts
/// them.
boost::json::value blocks_as_json(std::string_view content);
/// Texts joined by line feeds; what is no text is mentioned, not inlined. Empty if there is nothing to say.
std::string text_of_blocks(std::string_view content, resource_form resources);
/// The texts as they are, one behind the other. errc::protocol names the first block that is no text.
result<std::string> exact_text_of_blocks(std::string_view content);
/// Without the space between tokens.
std::string compact_json(std::string_view json);
}  // namespace detail

}  // namespace hawser

// SPDX-License-Identifier: MIT
#include "content.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <utility>

#include "../../transports/json/json_text.hpp"
#include "../../transports/json/json_tree.hpp"
#include "../../transports/json/json_validator.hpp"

namespace hawser {

namespace {

using kind = content_block::kind;

constexpr std::string_view unknown_type = "unknown type";

// The members of a block, or of the resource inside it, as views into the JSON; empty = absent.
struct raw_block {
  std::string_view type, text, data, blob, mime_type, uri, name, resource;

  explicit raw_block(std::string_view object) {
    if (!object.starts_with('{')) return;
    for_each_member(object, [this](std::string_view key, std::string_view value) {
      if (auto* slot = slot_of(key)) *slot = value;
      return true;
    });
  }

 private:
  std::string_view* slot_of(std::string_view key) {
    if (same_name(key, "type")) return &type;
    if (same_name(key, "text")) return &text;
    if (same_name(key, "data")) return &data;
    if (same_name(key, "blob")) return &blob;
    if (same_name(key, "mimeType")) return &mime_type;
    if (same_name(key, "uri")) return &uri;
    if (same_name(key, "name")) return &name;
    if (same_name(key, "resource")) return &resource;
    return nullptr;
  }
};

bool is_text(std::string_view json) noexcept { return json.starts_with('"'); }

// nullopt if the type is unknown or a required member is missing; such a block is shown as its JSON.
std::optional<kind> known_kind(const raw_block& block) {
  const auto is = [&](std::string_view word) {
    return is_text(block.type) && same_name(block.type.substr(1, block.type.size() - 2), word);
  };
  if (is("text") && is_text(block.text)) return kind::text;
  if (is("image") && is_text(block.data)) return kind::image;
  if (is("audio") && is_text(block.data)) return kind::audio;
  if (is("resource_link") && is_text(block.uri)) return kind::resource_link;
  if (is("resource") && block.resource.starts_with('{')) {
    const raw_block inner{block.resource};
    if (is_text(inner.uri) || is_text(inner.text) || is_text(inner.blob)) return kind::resource;
  }
  return std::nullopt;
}

std::string text_or_nothing(std::string_view json) { return text_of(json).value_or(std::string{}); }

content_block block_of(std::string_view json) {
  const raw_block raw{json};
  const auto type = known_kind(raw);
  if (!type) return {.text = detail::compact_json(json)};
  const raw_block inner{*type == kind::resource ? raw.resource : json};
  content_block block{.type = *type, .mime_type = text_or_nothing(inner.mime_type)};
  switch (*type) {
    case kind::text: block.text = text_or_nothing(raw.text); break;
    case kind::image:
    case kind::audio: block.data = text_or_nothing(raw.data); break;
    case kind::resource:
      block.text = text_or_nothing(inner.text);
      block.data = text_or_nothing(inner.blob);
      block.uri = text_or_nothing(inner.uri);
      break;
    case kind::resource_link:
      block.uri = text_or_nothing(raw.uri);
      block.name = text_or_nothing(raw.name);
      break;
  }
  return block;
}

// The decoded size of base64 text, without decoding it; line breaks do not count.
std::size_t decoded_size(std::string_view json) {
  const bool escaped = json.find('\\') != std::string_view::npos;
  const std::string plain = escaped ? text_or_nothing(json) : std::string{};
  const std::string_view text = escaped ? std::string_view{plain} : json.substr(1, json.size() - 2);
  const auto digits = std::count_if(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '/' ||
           c == '-' || c == '_';
  });
  return static_cast<std::size_t>(digits) / 4 * 3 + static_cast<std::size_t>(digits) % 4 * 3 / 4;
}

std::string mention(const char* what, const raw_block& raw) {
  const std::string mime = is_text(raw.mime_type) ? text_or_nothing(raw.mime_type) : std::string{unknown_type};
  return std::string{"["} + what + ": " + mime + ", " + std::to_string(decoded_size(raw.data)) + " bytes]";
}

std::string line_of(std::string_view json, resource_form resources) {
  const raw_block raw{json};
  const auto type = known_kind(raw);
  const bool as_json = resources == resource_form::json && (type == kind::resource || type == kind::resource_link);
  if (!type || as_json) return detail::compact_json(json);
  switch (*type) {
    case kind::text: return text_or_nothing(raw.text);
    case kind::image: return mention("image", raw);
    case kind::audio: return mention("audio", raw);
    case kind::resource: {
      const raw_block inner{raw.resource};
      if (is_text(inner.text)) return text_or_nothing(inner.text);
      return "[resource: " + text_or_nothing(inner.uri) + ']';
    }
    case kind::resource_link: break;
  }
  return "[resource: " + text_or_nothing(raw.uri) + ']';
}

}  // namespace

result<std::vector<content_block>> parse_content_blocks(std::string_view content) {
  const auto bad = [](const std::string& why) {
    return error{.code = errc::protocol, .what = "content: " + why, .executed = execution::unknown};
  };
  if (auto valid = validate_json(content); !valid) return bad(valid.error().what);
  content.remove_prefix(content.find_first_not_of(" \t\r\n"));
  if (!content.starts_with('[')) return bad("not an array");
  if (!elements_within(content, most_content_blocks)) {
    error why = bad("more than " + std::to_string(most_content_blocks) + " blocks");
    why.code = errc::too_large;
    return why;
  }
  return detail::blocks_of(content);
}

std::vector<content_block> detail::blocks_of(std::string_view content) {
  std::vector<content_block> blocks;
  for_each_element(content, [&](std::string_view json) {
    blocks.push_back(block_of(json));
    return true;
  });
  return blocks;
}

boost::json::value detail::blocks_as_json(std::string_view content) {
  boost::json::array blocks;
  for_each_element(content, [&](std::string_view json) {
    if (known_kind(raw_block{json})) {
      blocks.push_back(checked_json_tree(json));
    } else {
      blocks.push_back(boost::json::object{{"type", "text"}, {"text", compact_json(json)}});
    }
    return true;
  });
  return blocks;
}

std::string detail::text_of_blocks(std::string_view content, resource_form resources) {
  std::string text;
  bool first = true;
  for_each_element(content, [&](std::string_view json) {
    if (!std::exchange(first, false)) text += '\n';
    std::string line = line_of(json, resources);
    if (text.empty())
      text = std::move(line);  // usually the only block, and possibly large
    else
      text += line;
    return true;
  });
  return text;
}

namespace {

// The text of a text block or a text resource; otherwise nullopt.
std::optional<std::string> text_in_block(const raw_block& raw) {
  const auto type = known_kind(raw);
  if (type == kind::text) return text_of(raw.text);
  if (type != kind::resource) return std::nullopt;
  const raw_block inner{raw.resource};
  return is_text(inner.text) ? text_of(inner.text) : std::nullopt;
}

}  // namespace

result<std::string> detail::exact_text_of_blocks(std::string_view content) {
  std::string text;
  std::size_t number = 0;
  std::string fault;
  for_each_element(content, [&](std::string_view json) {
    ++number;
    const raw_block raw{json};
    if (const auto own = text_in_block(raw)) {
      text += *own;
    } else {
      const bool known = known_kind(raw).has_value();
      fault = "block " + std::to_string(number) + " of the result is no text: " +
              (known ? line_of(json, resource_form::text) : "it is of a kind that is not known here");
    }
    return fault.empty();
  });
  if (!fault.empty()) return error{.code = errc::protocol, .what = fault, .executed = execution::unknown};
  return text;
}

std::string detail::compact_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  const char* end = json.data() + json.size();
  for (const char* p = json.data(); p != end;) {
    const char* behind = *p == '"' ? skip_string(p + 1, end) : p + 1;
    if (*p != ' ' && *p != '\n' && *p != '\r' && *p != '\t') out.append(p, behind);
    p = behind;
  }
  return out;
}

}  // namespace hawser

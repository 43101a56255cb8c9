// SPDX-License-Identifier: MIT
#include "revision_adapter.hpp"

#include "../transports/json/json_text.hpp"
#include "../transports/json/object_writer.hpp"
#include "../transports/jsonrpc/protocol_table.hpp"

namespace hawser::revision_adapter {

namespace {

using protocol::feature;
using protocol::has;

std::string text_block(std::string_view text) { return object_writer{}.text("type", "text").text("text", text).done(); }

std::string word(std::string_view object, std::string_view name) {
  return text_of(find_member(object, name)).value_or(std::string{});
}

bool knows_all_content(std::string_view revision) {
  return has(feature::audio_content, revision) && has(feature::resource_links, revision);
}

// Replaces content that is newer than the revision with a text that describes it. Other content is not copied again:
// it may be most of a large result.
void append_content_block(std::string& to, std::string_view block, std::string_view revision) {
  const std::string type = word(block, "type");
  if (type == "audio" && !has(feature::audio_content, revision)) {
    to += text_block("[audio, " + word(block, "mimeType") + "]");
  } else if (type == "resource_link" && !has(feature::resource_links, revision)) {
    const std::string name = word(block, "name");
    const std::string uri = word(block, "uri");
    to += text_block(name.empty() || name == uri ? uri : name + ": " + uri);
  } else {
    to += block;
  }
}

std::string content_blocks(std::string_view blocks, std::string_view revision) {
  if (!blocks.starts_with('[')) return std::string{blocks};
  std::string text;
  text.reserve(blocks.size());
  text += '[';
  for_each_element(blocks, [&](std::string_view block) {
    if (text.size() > 1) text += ',';
    append_content_block(text, block, revision);
    return true;
  });
  text += ']';
  return text;
}

bool has_elements(std::string_view array) {
  bool any = false;
  if (array.starts_with('[')) for_each_element(array, [&](std::string_view) { return !(any = true); });
  return any;
}

std::string flag_object(std::string_view name, bool yes) {
  object_writer object;
  if (yes) object.member(name, "true");
  return object.done();
}

}  // namespace

// Results (2026-07-28): resultType always, serverInfo in `_meta`, and cache hints if the result is cacheable. Members
// that the service has set are kept, except serverInfo: this hop sets it.
std::string modern_result(std::string_view result, std::string_view server_info, const cache_hint* hint) {
  namespace key = protocol::meta;
  object_writer whole;
  if (find_member(result, "resultType").empty()) whole.text("resultType", "complete");
  whole.members_of(result, {key::key});
  if (hint != nullptr) {
    if (find_member(result, "ttlMs").empty()) whole.member("ttlMs", std::to_string(hint->ttl_ms));
    if (find_member(result, "cacheScope").empty()) whole.text("cacheScope", hint->scope);
  }
  object_writer meta;
  meta.members_of(find_member(result, key::key), {key::server_info}).member(key::server_info, server_info);
  return whole.member(key::key, meta.done()).done();
}

std::string list_item(list_kind what, std::string_view item, std::string_view revision) {
  if (has(feature::any_structured_content, revision)) return std::string{item};
  const bool icons = has(feature::icons, revision);
  if (what != list_kind::tools) return icons ? std::string{item} : object_writer{}.members_of(item, {"icons"}).done();
  const std::string_view schema = find_member(item, "outputSchema");
  const bool output = has(feature::structured_content, revision) && word(schema, "type") == "object";
  if (icons && (output || schema.empty())) return std::string{item};
  object_writer tool;
  if (icons) return tool.members_of(item, {"outputSchema"}).done();
  if (output) return tool.members_of(item, {"icons"}).done();
  return tool.members_of(item, {"icons", "outputSchema"}).done();
}

std::string tool_result(std::string_view result, std::string_view revision) {
  const std::string_view structured = find_member(result, "structuredContent");
  const std::string_view content = find_member(result, "content");
  const bool kept = structured.starts_with('{') && has(feature::structured_content, revision);
  object_writer shaped;
  shaped.members_of(result, {"resultType", "ttlMs", "cacheScope", "content", "structuredContent"});
  // If structuredContent cannot be sent and there is no other content, it is sent as text.
  if (!structured.empty() && !kept && !has_elements(content)) {
    shaped.member("content", '[' + text_block(structured) + ']');
  } else if (content.empty() || knows_all_content(revision)) {
    shaped.member("content", content.empty() ? "[]" : content);
  } else {
    shaped.member("content", content_blocks(content, revision));
  }
  if (kept) shaped.member("structuredContent", structured);
  return shaped.done();
}

std::string prompt_result(std::string_view result, std::string_view revision) {
  const std::string_view messages = find_member(result, "messages");
  if (!messages.starts_with('[') || knows_all_content(revision)) return other_result(result, revision);
  std::string shaped = "[";
  for_each_element(messages, [&](std::string_view message) {
    if (shaped.size() > 1) shaped += ',';
    const std::string_view content = find_member(message, "content");
    if (content.empty()) {
      shaped += message;
    } else {
      std::string known;
      append_content_block(known, content, revision);
      object_writer one;
      shaped += one.members_of(message, {"content"}).member("content", known).done();
    }
    return true;
  });
  object_writer whole;
  whole.members_of(result, {"resultType", "ttlMs", "cacheScope", "messages"});
  return whole.member("messages", shaped + ']').done();
}

std::string other_result(std::string_view result, std::string_view /*revision*/) {
  return object_writer{}.members_of(result, {"resultType", "ttlMs", "cacheScope"}).done();
}

std::string capabilities(const server_info& card, std::string_view revision) {
  object_writer all;
  if (card.logging) all.member("logging", "{}");
  if (card.completions && has(feature::completions_capability, revision)) all.member("completions", "{}");
  if (card.prompts) all.member("prompts", flag_object("listChanged", card.lists_change));
  if (card.resources) {
    object_writer resources;
    if (card.resource_updates) resources.member("subscribe", "true");
    if (card.lists_change) resources.member("listChanged", "true");
    all.member("resources", resources.done());
  }
  if (card.tools) all.member("tools", flag_object("listChanged", card.lists_change));
  return all.done();
}

std::string server_info_json(const server_info& card, std::string_view revision) {
  if (has(feature::icons, revision)) return card.info;
  object_writer info;
  if (has(feature::titles, revision)) return info.members_of(card.info, {"icons", "description", "websiteUrl"}).done();
  return info.members_of(card.info, {"icons", "description", "websiteUrl", "title"}).done();
}

}  // namespace hawser::revision_adapter

// SPDX-License-Identifier: MIT
// Adapts a service's output to the client's revision: leaves out members that were added later, and adds the members
// that the newest revision requires. Pure functions over JSON text; unknown members pass through.
#pragma once

#include <string>
#include <string_view>

#include "service.hpp"

namespace hawser {

/// All functions take valid JSON, and `revision` is one of protocol::revision.
namespace revision_adapter {

/// How long a result may be cached, and by whom (2026-07-28).
struct cache_hint {
  std::int64_t ttl_ms = 0;
  std::string_view scope = "private";
};

/// A complete result of a modern revision; `hint` only for cacheable results.
std::string modern_result(std::string_view result, std::string_view server_info, const cache_hint* hint);

/// An item of a list.
std::string list_item(list_kind what, std::string_view item, std::string_view revision);
/// The result of tools/call.
std::string tool_result(std::string_view result, std::string_view revision);
/// The result of prompts/get.
std::string prompt_result(std::string_view result, std::string_view revision);
/// Any other result.
std::string other_result(std::string_view result, std::string_view revision);

/// The capabilities of a server.
std::string capabilities(const server_info& card, std::string_view revision);
std::string server_info_json(const server_info& card, std::string_view revision);

}  // namespace revision_adapter

}  // namespace hawser

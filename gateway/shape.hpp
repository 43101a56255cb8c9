// SPDX-License-Identifier: MIT
// What a service says, in the shape that the client's revision knows: members that came later are left out, and the
// newest revision gets those that it demands. Pure functions over JSON text; what is not known passes through.
#pragma once

#include <string>
#include <string_view>

#include "service.hpp"

namespace hawser {

/// Everything here takes valid JSON, and `revision` as in protocol::revision.
namespace shape {

/// How long and by whom a result may be kept (2026-07-28).
struct cache_hint {
  std::int64_t ttl_ms = 0;
  std::string_view scope = "private";
};

/// A whole result, of a revision without a handshake; `hint` only for what may be kept.
std::string modern_result(std::string_view result, std::string_view server_info, const cache_hint* hint);

/// An object of a list.
std::string list_item(list_kind what, std::string_view item, std::string_view revision);
/// The result of tools/call.
std::string tool_result(std::string_view result, std::string_view revision);
/// The result of prompts/get.
std::string prompt_result(std::string_view result, std::string_view revision);
/// Any other result.
std::string other_result(std::string_view result, std::string_view revision);

/// The capabilities of a server.
std::string capabilities(const service_card& card, std::string_view revision);
std::string server_info(const service_card& card, std::string_view revision);

}  // namespace shape

}  // namespace hawser

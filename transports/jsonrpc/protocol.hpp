// SPDX-License-Identifier: MIT
// The constants of the Model Context Protocol: revisions, methods, `_meta` keys, header names, error codes. Protocol
// strings are defined here and nowhere else; protocol_table.hpp says what each revision has.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace hawser::protocol {

/// Revisions by their dates, as on the wire. Dates compare as strings.
namespace revision {
inline constexpr std::string_view v2024_11_05 = "2024-11-05";
inline constexpr std::string_view v2025_03_26 = "2025-03-26";
inline constexpr std::string_view v2025_06_18 = "2025-06-18";
inline constexpr std::string_view v2025_11_25 = "2025-11-25";
inline constexpr std::string_view v2026_07_28 = "2026-07-28";

inline constexpr std::string_view latest = v2026_07_28;
/// The latest revision that is negotiated by `initialize`; later ones state their version in every request.
inline constexpr std::string_view latest_legacy = v2025_11_25;
inline constexpr std::array all{v2024_11_05, v2025_03_26, v2025_06_18, v2025_11_25, v2026_07_28};
}  // namespace revision

constexpr bool known_revision(std::string_view date) noexcept {
  return std::find(revision::all.begin(), revision::all.end(), date) != revision::all.end();
}
/// Whether it belongs to the era without a handshake.
constexpr bool modern(std::string_view date) noexcept { return date >= revision::v2026_07_28; }

namespace method {
inline constexpr std::string_view initialize = "initialize";
inline constexpr std::string_view discover = "server/discover";
inline constexpr std::string_view ping = "ping";
inline constexpr std::string_view tools_list = "tools/list";
inline constexpr std::string_view tools_call = "tools/call";
inline constexpr std::string_view resources_list = "resources/list";
inline constexpr std::string_view resources_templates_list = "resources/templates/list";
inline constexpr std::string_view resources_read = "resources/read";
inline constexpr std::string_view resources_subscribe = "resources/subscribe";
inline constexpr std::string_view resources_unsubscribe = "resources/unsubscribe";
inline constexpr std::string_view prompts_list = "prompts/list";
inline constexpr std::string_view prompts_get = "prompts/get";
inline constexpr std::string_view complete = "completion/complete";
inline constexpr std::string_view set_level = "logging/setLevel";
inline constexpr std::string_view subscriptions_listen = "subscriptions/listen";
inline constexpr std::string_view create_message = "sampling/createMessage";
inline constexpr std::string_view elicit = "elicitation/create";
inline constexpr std::string_view roots_list = "roots/list";
}  // namespace method

namespace notification {
inline constexpr std::string_view initialized = "notifications/initialized";
inline constexpr std::string_view cancelled = "notifications/cancelled";
inline constexpr std::string_view progress = "notifications/progress";
inline constexpr std::string_view message = "notifications/message";
inline constexpr std::string_view tools_list_changed = "notifications/tools/list_changed";
inline constexpr std::string_view resources_list_changed = "notifications/resources/list_changed";
inline constexpr std::string_view resources_updated = "notifications/resources/updated";
inline constexpr std::string_view prompts_list_changed = "notifications/prompts/list_changed";
inline constexpr std::string_view roots_list_changed = "notifications/roots/list_changed";
inline constexpr std::string_view subscriptions_acknowledged = "notifications/subscriptions/acknowledged";
inline constexpr std::string_view elicitation_complete = "notifications/elicitation/complete";
}  // namespace notification

namespace meta {
inline constexpr std::string_view key = "_meta";
inline constexpr std::string_view progress_token = "progressToken";
inline constexpr std::string_view protocol_version = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view client_capabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view client_info = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view server_info = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view log_level = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view subscription_id = "io.modelcontextprotocol/subscriptionId";
}  // namespace meta

namespace header {
inline constexpr std::string_view protocol_version = "MCP-Protocol-Version";
inline constexpr std::string_view session_id = "Mcp-Session-Id";
inline constexpr std::string_view method = "Mcp-Method";
inline constexpr std::string_view name = "Mcp-Name";
inline constexpr std::string_view parameter_prefix = "Mcp-Param-";
inline constexpr std::string_view last_event_id = "Last-Event-ID";
}  // namespace header

/// The error codes of JSON-RPC and of MCP. Errors that Hawser itself makes never carry one of these.
namespace code {
inline constexpr int parse_error = -32700;
inline constexpr int invalid_request = -32600;
inline constexpr int method_not_found = -32601;
inline constexpr int invalid_params = -32602;
inline constexpr int internal_error = -32603;
inline constexpr int resource_not_found = -32002;  ///< before 2026-07-28
inline constexpr int header_mismatch = -32020;
inline constexpr int missing_capability = -32021;
inline constexpr int unsupported_version = -32022;
inline constexpr int url_elicitation_required = -32042;  ///< 2025-11-25 only
inline constexpr int user_rejected = -1;
}  // namespace code

}  // namespace hawser::protocol

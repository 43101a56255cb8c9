// SPDX-License-Identifier: MIT
#include "client_profile.hpp"

#include "../../runtime/library_version.hpp"
#include "../../transports/json/json_text.hpp"
#include "../../transports/jsonrpc/protocol.hpp"

namespace hawser {

namespace {

// Appends `"name":value`, preceded by a comma unless it is the first.
void append_member(std::string& to, std::string_view name, std::string_view json) {
  if (!to.empty()) to += ',';
  append_quoted(to, name);
  to += ':';
  to += json;
}

std::string braced(std::string_view members) { return '{' + std::string{members} + '}'; }

// Identical in both eras: roots without listChanged, sampling with or without tools, and the elicitation modes that
// have a callback.
std::string declared_capabilities(const input_handlers& can) {
  std::string all;
  if (can.roots) append_member(all, "roots", "{}");
  if (can.sampling) append_member(all, "sampling", can.sampling_has_tools ? R"({"tools":{}})" : "{}");
  std::string modes;
  if (can.form) append_member(modes, "form", "{}");
  if (can.url) append_member(modes, "url", "{}");
  if (!modes.empty()) append_member(all, "elicitation", braced(modes));
  return braced(all);
}

}  // namespace

client_profile::client_profile(const implementation& who, const input_handlers& can)
    : capabilities_(declared_capabilities(can)) {
  std::string members;
  append_member(members, "name", json_string(who.name.empty() ? "hawser" : who.name));
  append_member(members, "version", json_string(who.name.empty() ? library_version() : who.version));
  if (!who.title.empty()) append_member(members, "title", json_string(who.title));
  info_ = braced(members);
}

std::string client_profile::initialize_params(std::string_view revision) const {
  std::string members;
  append_member(members, "protocolVersion", json_string(revision));
  append_member(members, "capabilities", capabilities_);
  append_member(members, "clientInfo", info_);
  return braced(members);
}

std::string client_profile::modern_meta(std::string_view revision) const {
  std::string members;
  append_member(members, protocol::meta::protocol_version, json_string(revision));
  append_member(members, protocol::meta::client_info, info_);
  append_member(members, protocol::meta::client_capabilities, capabilities_);
  return members;
}

}  // namespace hawser

// SPDX-License-Identifier: MIT
#include "client_profile.hpp"

#include "../../runtime/library_version.hpp"
#include "../../transports/json/json_text.hpp"
#include "../../transports/jsonrpc/protocol.hpp"

namespace hawser {

namespace {

// Appends `"name":value`, preceded by a comma unless it is the first.
void append_member(std::string& members, std::string_view name, std::string_view json) {
  if (!members.empty()) members += ',';
  append_quoted(members, name);
  members += ':';
  members += json;
}

std::string braced(std::string_view members) { return '{' + std::string{members} + '}'; }

// Identical in both eras: roots without listChanged, sampling with or without tools, and the elicitation modes that
// have a callback.
std::string declared_capabilities(const input_handlers& handlers) {
  std::string all;
  if (handlers.roots) append_member(all, "roots", "{}");
  if (handlers.sampling) append_member(all, "sampling", handlers.sampling_has_tools ? R"({"tools":{}})" : "{}");
  std::string modes;
  if (handlers.form) append_member(modes, "form", "{}");
  if (handlers.url) append_member(modes, "url", "{}");
  if (!modes.empty()) append_member(all, "elicitation", braced(modes));
  return braced(all);
}

}  // namespace

client_profile::client_profile(const implementation& identity, const input_handlers& handlers)
    : capabilities_(declared_capabilities(handlers)) {
  std::string members;
  append_member(members, "name", json_string(identity.name.empty() ? "hawser" : identity.name));
  append_member(members, "version", json_string(identity.name.empty() ? library_version() : identity.version));
  if (!identity.title.empty()) append_member(members, "title", json_string(identity.title));
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

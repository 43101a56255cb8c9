// SPDX-License-Identifier: MIT
// What a server reported about itself during negotiation, in either era.
#pragma once

#include <string>

#include "../../transports/jsonrpc/message.hpp"

namespace hawser {

/// The name of a client or server. Unverified: for display only, never for decisions.
struct implementation {
  std::string name{};
  std::string version{};
  std::string title{};
};

struct server_capabilities {
  bool tools = false;
  bool tools_changes = false;  ///< listChanged: it sends a notification when the list changes
  bool resources = false;
  bool resources_changes = false;
  bool subscribe = false;
  bool prompts = false;
  bool prompts_changes = false;
  bool completions = false;
  bool logging = false;
};

struct negotiated_peer {
  std::string revision{};
  implementation server{};
  server_capabilities can{};
  std::string capabilities{};  ///< the whole object, as sent
  std::string instructions{};

  [[nodiscard]] bool modern() const noexcept;
};

/// From the result of `initialize`; errc::protocol says what is missing or which revision is not supported.
result<negotiated_peer> read_initialize_result(const raw_json& answer);
/// From the result of `server/discover`; the revision is the newest that both support, empty if there is none.
result<negotiated_peer> read_discover_result(const raw_json& answer);

}  // namespace hawser

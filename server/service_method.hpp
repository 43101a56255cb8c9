// SPDX-License-Identifier: MIT
// The methods that both eras have: lists, tools/call, resources/read, prompts/get, completion/complete. Checks the
// parameters, runs the handler with its input requests to the client, and adapts the result to the client's revision.
#pragma once

#include <string>
#include <string_view>

#include "../transports/jsonrpc/peer.hpp"
#include "request_context.hpp"
#include "server_session_options.hpp"

namespace hawser {

struct service_method {
  enum class kind : std::uint8_t { list, call_tool, read_resource, get_prompt, complete };
  std::string_view name;
  kind what;
  bool server_info::* needs;  ///< the capability that enables it
  bool cacheable = false;
  list_kind list = list_kind::tools;

  /// Null if it is not one of these methods.
  static const service_method* find(std::string_view name) noexcept;
};

/// What is needed to serve a request; lives as long as the session.
struct method_context {
  loop& home;
  service& what;
  peer& side;
  const channel& over;
  const server_session_options& options;
  pending_inputs& rounds;
  byte_budget& held;  ///< limits what the requests hold at once
};

/// What the service reports about itself. If it throws, the exception is logged, and the result has only a name.
const server_info& info_of(const service& what, const loop& home);

/// Returns the result as it is sent. Errors are sent as errors: errc::remote with its own code, any other as an
/// internal error.
task<result<std::string>> serve_method(const method_context& means, const service_method& method,
                                       request_context& request);

}  // namespace hawser

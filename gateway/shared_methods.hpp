// SPDX-License-Identifier: MIT
// The methods that both eras have: lists, tools/call, resources/read, prompts/get, completion/complete. From checked
// parameters to a result in the client's shape, with as many questions to the client in between as the handler has.
#pragma once

#include <string>
#include <string_view>

#include "../transports/peer.hpp"
#include "serving_options.hpp"
#include "serving_request.hpp"

namespace hawser {

struct shared_method {
  enum class kind : std::uint8_t { list, call_tool, read_resource, get_prompt, complete };
  std::string_view name;
  kind what;
  bool service_card::* needs;  ///< served only where the card says so
  bool cacheable = false;
  list_kind list = list_kind::tools;

  /// Null where it is none of them.
  static const shared_method* find(std::string_view name) noexcept;
};

/// What a request is served with; lives as long as the session.
struct serving_means {
  loop& home;
  service& what;
  peer& side;
  const channel& over;
  const serving_options& options;
  input_rounds& rounds;
  byte_budget& held;  ///< what its requests hold at once
};

/// What the service says of itself; nothing but a name where it throws, which is logged.
const service_card& card_of(const service& what, const loop& home);

/// The result as it is sent. An error is sent as one: errc::remote with its own code, any other as an internal error.
task<result<std::string>> serve_method(const serving_means& means, const shared_method& method,
                                       serving_request& request);

}  // namespace hawser

// SPDX-License-Identifier: MIT
// Calls that a server answers only after it was given input: results of the type `input_required` (multi round-trip
// requests, modern era) and the error −32042 (legacy era). Repeats the call with the input until there is a result.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "../../runtime/async/event.hpp"
#include "../../transports/jsonrpc/peer.hpp"
#include "negotiated_peer.hpp"
#include "session_context.hpp"
#include "session_listener.hpp"
#include "url_elicitations.hpp"

namespace hawser {

class multi_round_trip {
 public:
  /// What a session lends to it; all of it outlives this object.
  struct dependencies {
    const session_context& context;
    peer& connection;
    const negotiated_peer& negotiated;
    const std::string& meta;  ///< the members of `_meta` in every request
    const std::string& server_name;
    session_listener& listener;
    url_elicitations& pages;
    event& closing;  ///< set when the session closes
  };
  explicit multi_round_trip(const dependencies& lent) : lent_(lent) {}

  /// `members`: those of the params. `began`: when the call began, for its time limit, which all rounds share. `first`:
  /// the result of the first round if it was sent already. `tool`: the name, if it is a call of a tool; every further
  /// round has to be admitted by the listener.
  task<result<raw_json>> call(std::string method, std::string members, const call_options& options, time_point began,
                              std::optional<result<raw_json>> first, std::string tool = {});

 private:
  task<result<std::string>> input_responses(std::string_view requests);

  dependencies lent_;
};

}  // namespace hawser

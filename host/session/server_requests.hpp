// SPDX-License-Identifier: MIT
// Requests that a server sends to the client (legacy era): limits them, holds those that arrive before the era is
// known, and has them answered by the input_dispatcher. In the modern era the peer refuses them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../../runtime/async/event.hpp"
#include "../../runtime/async/scope.hpp"
#include "../../runtime/io/byte_budget.hpp"
#include "../../transports/jsonrpc/peer.hpp"
#include "../config/settings.hpp"
#include "input_dispatcher.hpp"

namespace hawser {

class server_requests {
 public:
  /// All of them outlive this object. Once `closing` is set, requests are no longer answered.
  server_requests(peer& connection, const input_dispatcher& dispatcher, const std::string& server_name,
                  const event& closing, const host_limits& limits);

  /// Requests are answered in `scope`, which is joined before this object is destroyed.
  void start(scope& answering) noexcept { scope_ = &answering; }
  void receive(std::string_view method, std::string_view params, responder answer);

  /// Holds the requests that arrive from now on, until one of the next two functions is called.
  void hold() noexcept { state_ = state::holding; }
  void answer_held();
  void drop_held() noexcept;

 private:
  enum class state : std::uint8_t { answering, holding };
  struct request {
    std::string method;
    std::string params;
    responder answer;
    byte_budget::share held;
  };

  result<byte_budget::share> room_for(std::string_view params);
  void begin(request received);
  static task<void> respond(server_requests& self, request received);

  peer& peer_;
  const input_dispatcher& dispatcher_;
  const std::string& server_name_;
  const event& closing_;
  scope* scope_ = nullptr;
  byte_budget unanswered_;  // text and trees of the requests that are not answered yet; outlives those
  state state_ = state::answering;
  std::vector<request> held_;
};

}  // namespace hawser

// SPDX-License-Identifier: MIT
// Both sides of a connection on one loop, without system calls between them: the cost of a call is Hawser's own cost,
// twice.
#pragma once

#include "../../transports/testing/memory_channel.hpp"
#include "stdio_connection.hpp"

namespace hawser::bench {

class memory_pair {
 public:
  explicit memory_pair(loop& home);

  task<bool> open();
  task<bool> close();
  /// Every call through it is answered at once.
  [[nodiscard]] peer& near() noexcept { return near_; }

 private:
  class immediate_responder final : public peer_listener {
   public:
    void on_request(std::string_view method, std::string_view params, responder answer) override;
  };

  memory_channel::pair ends_;
  null_listener null_listener_;
  immediate_responder responder_;
  peer near_;
  peer far_;
};

}  // namespace hawser::bench

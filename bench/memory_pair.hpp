// SPDX-License-Identifier: MIT
// Both sides of a connection on one loop, without system calls between them: the cost of a call is Hawser's own cost,
// twice.
#pragma once

#include "../transports/memory_channel.hpp"
#include "connection.hpp"

namespace hawser::bench {

class memory_pair {
 public:
  explicit memory_pair(loop& home);

  task<bool> open();
  task<bool> close();
  /// Every call through it is answered at once.
  [[nodiscard]] peer& near() noexcept { return near_; }

 private:
  class instant_answers final : public peer_listener {
   public:
    void on_request(std::string_view method, std::string_view params, responder answer) override;
  };

  memory_channel::pair ends_;
  nobody_listens nobody_;
  instant_answers answers_;
  peer near_;
  peer far_;
};

}  // namespace hawser::bench

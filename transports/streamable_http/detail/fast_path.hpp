// SPDX-License-Identifier: MIT
// Exchanges without a coroutine: a request over an idle connection, and a JSON response that is complete when it is
// examined. Any other outcome continues in post_exchange, as if it had started there.
#pragma once

#include <cstdint>

#include "authorized_client.hpp"
#include "message_router.hpp"
#include "post_table.hpp"
#include "unsent_bytes.hpp"

namespace hawser::detail {

class fast_path {
 public:
  enum class progress : std::uint8_t {
    waiting,    ///< the rest of the response is still arriving
    delivered,  ///< the exchange has ended
    unusual,    ///< to be continued by post_exchange
  };

  struct parts {
    http_client& connections;
    authorized_client& client;
    message_router& router;
    post_table& posts;
    unsent_bytes& unsent;
  };
  /// What `parts` and the endpoint refer to outlives this object.
  fast_path(const parts& used, const http_url& endpoint, std::size_t max_message)
      : parts_(used), endpoint_(endpoint), max_message_(max_message) {}

  /// False: nothing happened. Otherwise the listener of the post hears of its response. Precondition: it is a request.
  [[nodiscard]] bool try_send(outbound_post& post);
  /// To be called by that listener.
  [[nodiscard]] progress on_progress(outbound_post& post) noexcept;
  /// Gives up a request that was sent here. Not to be called from inside a callback of the connection, which may be
  /// closed here.
  void drop(outbound_post& post) noexcept;

 private:
  parts parts_;
  const http_url& endpoint_;
  std::size_t max_message_;
};

}  // namespace hawser::detail

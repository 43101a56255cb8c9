// SPDX-License-Identifier: MIT
// Forwards a caller's std::stop_token, which may fire on any thread, to a stop_source on the loop.
#pragma once

#include <memory>
#include <stop_token>

#include "../loop/loop.hpp"

namespace hawser {

/// Constructed and destroyed on the loop thread. The message to the loop is allocated here, so that firing allocates
/// nothing.
class stop_bridge {
 public:
  stop_bridge(loop& to, const std::stop_token& from, stop_source& target)
      : message_(std::make_shared<message>(to, target)), callback_(from, fire{message_.get()}) {}
  stop_bridge(const stop_bridge&) = delete;
  stop_bridge& operator=(const stop_bridge&) = delete;
  ~stop_bridge() { message_->target = nullptr; }

 private:
  struct message final : work, std::enable_shared_from_this<message> {
    message(loop& l, stop_source& t) : to(l), target(&t) {}
    void send() noexcept {
      alive = shared_from_this();
      if (!to.post_item(*this)) alive.reset();
    }
    void run() noexcept override {
      const auto self = std::move(alive);
      if (target != nullptr) target->request_stop();
    }
    void drop() noexcept override { const auto self = std::move(alive); }

    loop& to;
    stop_source* target;             // loop thread only
    std::shared_ptr<message> alive;  // set while the mailbox holds the message; the bridge may be destroyed meanwhile
  };
  struct fire {
    message* m;
    void operator()() const noexcept { m->send(); }
  };

  std::shared_ptr<message> message_;
  std::stop_callback<fire> callback_;
};

}  // namespace hawser

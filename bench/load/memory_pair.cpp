// SPDX-License-Identifier: MIT
#include "memory_pair.hpp"

namespace hawser::bench {

void memory_pair::immediate_responder::on_request(std::string_view /*method*/, std::string_view /*params*/,
                                                  responder answer) {
  answer.result(R"({"content":[{"type":"text","text":"four score and seven"}],"isError":false})");
}

memory_pair::memory_pair(loop& home)
    : ends_(memory_channel::make(home)),
      near_(home, *ends_.first, null_listener_),
      far_(home, *ends_.second, responder_) {}

task<bool> memory_pair::open() {
  auto near = co_await ends_.first->open(near_);
  auto far = co_await ends_.second->open(far_);
  co_return near.has_value() && far.has_value();
}

task<bool> memory_pair::close() {
  auto near = co_await ends_.first->close();
  auto far = co_await ends_.second->close();
  co_return near.has_value() && far.has_value();
}

}  // namespace hawser::bench

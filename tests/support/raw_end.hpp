// SPDX-License-Identifier: MIT
// The far end of a memory channel, driven by a test: receives messages as text and responds with arbitrary bytes.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "../../runtime/async/event.hpp"
#include "../../runtime/async/timeout.hpp"
#include "../../transports/testing/memory_channel.hpp"

namespace hawser::testing {

class raw_end final : public receiver {
 public:
  explicit raw_end(memory_channel& own) : own_(own) {}

  task<result<void>> open() { return own_.open(*this); }
  /// The next message; an empty text after the end, or on timeout.
  task<std::string> next() {
    while (messages.empty() && !closed) {
      arrived_.reset();
      auto more = co_await with_timeout(std::chrono::seconds{5}, wait(arrived_));
      if (!more) break;
    }
    if (messages.empty()) co_return std::string{};
    std::string first = std::move(messages.front());
    messages.pop_front();
    co_return first;
  }
  void say(std::string_view bytes) { own_.send_bytes(std::string{bytes} + '\n'); }

  std::deque<std::string> messages;
  bool closed = false;

 private:
  static task<result<void>> wait(event& e) { co_return co_await e.wait(); }

  void on_message(const message_view& message) noexcept override {
    messages.emplace_back(message.bytes);
    arrived_.set();
  }
  void on_request_failed(std::int64_t /*request*/, error /*why*/) noexcept override {}
  void on_reset(error /*why*/) noexcept override {}
  void on_closed(error /*why*/) noexcept override {
    closed = true;
    arrived_.set();
  }

  memory_channel& own_;
  event arrived_;
};

}  // namespace hawser::testing

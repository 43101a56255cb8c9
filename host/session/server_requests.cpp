// SPDX-License-Identifier: MIT
#include "server_requests.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "../../transports/json/json_validator.hpp"
#include "../../transports/jsonrpc/protocol.hpp"

namespace hawser {

namespace {

// Of one request of a server, as JSON values; and what a value takes in a tree.
constexpr std::size_t max_request_values = 100'000;
constexpr std::size_t value_bytes = 48;

// Room for two messages, and for one with as many values as fit in it: each has at least two bytes.
std::size_t max_unanswered(const host_limits& limits) noexcept {
  const std::size_t values = std::min(max_request_values, limits.max_message / 2);
  return limits.max_message + std::max(limits.max_message, values * value_bytes);
}

// Stops a scope when the peer cancels its request.
class cancellation final : public stop_callback {
 public:
  cancellation(stop_source& source, scope& stopped) noexcept : stopped_(stopped) {
    if (source.stop_requested()) {
      stopped_.request_stop();
    } else {
      source.link(*this);
    }
  }
  cancellation(const cancellation&) = delete;
  cancellation& operator=(const cancellation&) = delete;
  ~cancellation() { unlink(); }

 private:
  void on_stop() noexcept override { stopped_.request_stop(); }
  scope& stopped_;
};

task<void> answer_through_dispatcher(const input_dispatcher& dispatcher, const std::string& server_name,
                                     std::string method, std::string params, responder& answer,
                                     std::function<void()> asking) {
  auto got = co_await dispatcher.answer(server_name, std::move(method), std::move(params), std::move(asking));
  if (got) {
    answer.result(*got);
  } else if (got.error().code == errc::remote) {
    answer.fail(got.error().native, got.error().what);
  }
}

}  // namespace

server_requests::server_requests(peer& connection, const input_dispatcher& dispatcher, const std::string& server_name,
                                 const event& closing, const host_limits& limits)
    : peer_(connection),
      dispatcher_(dispatcher),
      server_name_(server_name),
      closing_(closing),
      unanswered_(max_unanswered(limits)) {}

// Counts the text and the tree that is made of it. One request alone always has room.
result<byte_budget::share> server_requests::room_for(std::string_view params) {
  std::size_t values = 0;
  if (!params.empty()) {
    json_validator counted{params.data() + params.size(), {.max_values = max_request_values}};
    const bool whole = counted.value(counted.space(params.data()), 0) != nullptr;
    values = counted.values();
    if (!whole && values > max_request_values)
      return error{.code = errc::too_large,
                   .what = "the params have more than " + std::to_string(max_request_values) + " values"};
  }
  auto share = unanswered_.take(params.size() + values * value_bytes);
  if (!share) return error{.code = errc::too_large, .what = "too many bytes of requests are unanswered"};
  return *std::move(share);
}

void server_requests::receive(std::string_view method, std::string_view params, responder answer) {
  if (state_ == state::answering && method == protocol::method::ping) {
    answer.result("{}");
    return;
  }
  if (state_ == state::answering && closing_.is_set()) return;
  auto share = room_for(params);
  if (!share) {
    answer.fail(protocol::code::invalid_request, share.error().what);
    return;
  }
  request received{std::string{method}, std::string{params}, std::move(answer), *std::move(share)};
  if (state_ == state::holding) {
    held_.push_back(std::move(received));
  } else {
    begin(std::move(received));
  }
}

void server_requests::begin(request received) {
  if (received.method == protocol::method::ping) {
    received.answer.result("{}");
  } else if (!closing_.is_set()) {
    scope_->spawn(respond(*this, std::move(received)));
  }
}

void server_requests::answer_held() {
  state_ = state::answering;
  for (request& received : std::exchange(held_, {})) begin(std::move(received));
}

void server_requests::drop_held() noexcept {
  state_ = state::answering;
  held_.clear();
}

task<void> server_requests::respond(server_requests& self, request received) {
  // Only while somebody is asked: a request that is refused at once must not suspend the idle timeout of calls.
  std::optional<peer::idle_timeout_pause> pause;
  scope asking{co_await this_context()};
  const cancellation bridge{received.answer.stop(), asking};
  std::function<void()> begins = [&] { pause.emplace(self.peer_); };
  asking.spawn(answer_through_dispatcher(self.dispatcher_, self.server_name_, std::move(received.method),
                                         std::move(received.params), received.answer, std::move(begins)));
  co_await asking.join();
}

}  // namespace hawser

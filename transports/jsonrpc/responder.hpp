// SPDX-License-Identifier: MIT
// Answers one request from the remote side, possibly later. Dropping it unanswered sends an error response.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "../../runtime/async/stop.hpp"
#include "message.hpp"

namespace hawser {

class peer;

namespace detail {
// Shared by the responder and the peer; either may be destroyed first.
struct incoming_request {
  explicit incoming_request(request_id i, peer* p) : id(std::move(i)), owner(p) {}
  request_id id;
  peer* owner;  // null: no response is wanted any more
  stop_source stop;
};
}  // namespace detail

/// Loop thread only. After the first response, and after the remote side has cancelled or disconnected, responses are
/// dropped.
class responder {
 public:
  explicit responder(std::shared_ptr<detail::incoming_request> to) noexcept : to_(std::move(to)) {}
  responder(responder&&) noexcept = default;
  responder& operator=(responder&& other) noexcept;
  /// A request that was not answered gets an internal error.
  ~responder();

  void result(std::string_view json);
  void result(const char* json) { result(std::string_view{json}); }
  /// The same for large results: their memory is freed before the response is sent, which may take long.
  void result(std::string&& json);
  void fail(int code, std::string_view message, std::string_view data = {});

  [[nodiscard]] const request_id& id() const noexcept { return to_->id; }
  /// Whether a response is still wanted.
  [[nodiscard]] bool wanted() const noexcept { return to_ != nullptr && to_->owner != nullptr; }
  /// Stopped when the remote side cancels the request or disconnects; lives as long as this object.
  [[nodiscard]] stop_source& stop() const noexcept { return to_->stop; }

 private:
  std::shared_ptr<detail::incoming_request> to_;
};

}  // namespace hawser

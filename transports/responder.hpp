// SPDX-License-Identifier: MIT
// The right and the duty to answer one request of the other side: answered later, or dropped, which is an answer, too.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "../runtime/stop.hpp"
#include "message.hpp"

namespace hawser {

class peer;

namespace detail {
// Shared by the responder and the peer, whichever lives longer.
struct incoming_request {
  explicit incoming_request(request_id i, peer* p) : id(std::move(i)), owner(p) {}
  request_id id;
  peer* owner;  // null: nobody waits for an answer any more
  stop_source stop;
};
}  // namespace detail

/// Loop thread only. After the first answer, and when the other side has cancelled or gone, answers are dropped.
class responder {
 public:
  explicit responder(std::shared_ptr<detail::incoming_request> to) noexcept : to_(std::move(to)) {}
  responder(responder&&) noexcept = default;
  responder& operator=(responder&& other) noexcept;
  /// One that nobody answered is answered with an internal error.
  ~responder();

  void result(std::string_view json);
  void result(const char* json) { result(std::string_view{json}); }
  /// The same for large ones: their memory is given back before the answer is sent, which may take long.
  void result(std::string&& json);
  void fail(int code, std::string_view message, std::string_view data = {});

  [[nodiscard]] const request_id& id() const noexcept { return to_->id; }
  /// Whether somebody still waits.
  [[nodiscard]] bool wanted() const noexcept { return to_ != nullptr && to_->owner != nullptr; }
  /// Stops when the other side cancels the request or is gone; lives as long as this object.
  [[nodiscard]] stop_source& stop() const noexcept { return to_->stop; }

 private:
  std::shared_ptr<detail::incoming_request> to_;
};

}  // namespace hawser

// SPDX-License-Identifier: MIT
#include "responder.hpp"

#include <utility>

#include "outgoing_lines.hpp"
#include "peer.hpp"
#include "protocol.hpp"

namespace hawser {

responder& responder::operator=(responder&& other) noexcept {
  responder old{std::move(other)};
  std::swap(to_, old.to_);
  return *this;
}

responder::~responder() {
  if (wanted()) fail(protocol::code::internal_error, "nobody answered this request");
}

void responder::result(std::string_view json) {
  if (!wanted()) return;
  peer& owner = *std::exchange(to_->owner, nullptr);
  owner.forget(*to_);
  owner.answer_with(to_->id, result_line(to_->id, json));
}

void responder::result(std::string&& json) {
  if (!wanted()) return;
  peer& owner = *std::exchange(to_->owner, nullptr);
  owner.forget(*to_);
  std::string line = result_line(to_->id, json);
  std::string{}.swap(json);
  owner.answer_with(to_->id, std::move(line));
}

void responder::fail(int code, std::string_view message, std::string_view data) {
  if (!wanted()) return;
  peer& owner = *std::exchange(to_->owner, nullptr);
  owner.forget(*to_);
  owner.answer_with(to_->id, error_line(to_->id, code, message, data), code);
}

}  // namespace hawser

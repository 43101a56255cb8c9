// SPDX-License-Identifier: MIT
#include "detail/event_reader.hpp"

#include "../http/http_fields.hpp"
#include "../http/retry_after.hpp"

namespace hawser::detail {

bool recent_event_ids::add(std::string_view id) {
  const auto added = ids_.emplace(id);
  if (!added.second) return false;
  in_order_.push_back(&*added.first);
  if (in_order_.size() > capacity) {
    ids_.erase(ids_.find(*in_order_.front()));
    in_order_.pop_front();
  }
  return true;
}

result<void> event_reader::feed(std::string_view bytes) {
  auto read = parser_.feed(bytes, *this);
  if (read) return read;
  error too_large = read.error();  // the only error of feed()
  too_large.what += size_advice_;
  return too_large;
}

task<result<void>> event_reader::read(client_response& response) {
  while (!answered()) {
    auto bytes = co_await response.read_some();
    if (!bytes) co_return bytes.error();
    if (bytes->empty()) co_return result<void>{};
    auto read = feed(*bytes);
    if (!read) co_return read;
  }
  co_return result<void>{};
}

void event_reader::reconnected() {
  if (!parser_.last_id().empty()) last_id_ = parser_.last_id();
  parser_ = sse_parser{max_message_};
  productive_ = false;
}

std::string event_reader::position() const {
  const std::string_view id = parser_.last_id().empty() ? std::string_view{last_id_} : parser_.last_id();
  return valid_field_value(id) ? std::string{id} : std::string{};
}

void event_reader::on_event(const sse_event& event) noexcept {
  if (event.type == "endpoint") {
    if (!endpoint_) endpoint_ = std::string{event.data};
    return;
  }
  const bool is_message = event.type.empty() || event.type == "message";
  if (!is_message || event.data.empty() || is_repeated(event)) return;
  productive_ = true;
  router_.deliver(event.data, nullptr, post_);
}

void event_reader::on_retry(std::chrono::milliseconds pause) noexcept { retry_ = clamped_retry(pause); }

// A server that replays events may also send some that have already arrived.
bool event_reader::is_repeated(const sse_event& event) {
  return event.has_id && !event.id.empty() && !ids_.add(event.id);
}

}  // namespace hawser::detail

// SPDX-License-Identifier: MIT
#include "detail/message_router.hpp"

#include <algorithm>
#include <string>

#include "../json/json_text.hpp"

namespace hawser::detail {

namespace {

// Bodies of at least this size are moved together with their memory.
constexpr std::size_t min_moved_body = std::size_t{64} * 1024;

}  // namespace

void message_router::deliver(std::string_view bytes, byte_buffer* storage, outbound_post* post) {
  if (closed_) return;
  const std::size_t first = std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size());
  if (first < bytes.size() && bytes[first] == '[' && accepts_batches_) {
    deliver_batch(bytes, post);
    return;
  }
  message_view message = scanner_.scan(bytes);
  if (message.is_response() && post == nullptr) {
    if (shared_ == nullptr) {
      ++misrouted_responses_;
      return;
    }
    const auto text = message.integer_id ? std::nullopt : text_of(message.id);
    const auto number = text ? integer_of(*text) : std::nullopt;
    shared_->on_shared_response(message.integer_id ? message.number : number.value_or(0));
  } else if (message.is_response()) {
    const std::string number = std::to_string(post->request.value_or(0));
    const bool belongs = message.id == number || message.id == '"' + number + '"';
    if (!belongs || post->answered) {
      if (message.id != "null") ++misrouted_responses_;
      return;
    }
    post->answered = true;
  }
  message.storage = storage != nullptr && bytes.size() >= min_moved_body ? storage : nullptr;
  to_->on_message(message);
}

void message_router::deliver_batch(std::string_view bytes, outbound_post* post) {
  if (!raw_json{bytes}.check(limits_.json)) return;
  if (!elements_within(bytes, limits_.max_batch)) {
    to_->on_message({.batch = true, .bytes = bytes, .fault = batch_too_large()});
    return;
  }
  for_each_element(bytes, [&](std::string_view element) {
    if (!element.starts_with('[')) deliver(element, nullptr, post);
    return !closed_;
  });
}

bool message_router::deliver_response(byte_buffer& body, outbound_post& post) {
  message_view message = scanner_.scan(body.view());
  const bool is_response = message.kind == message_kind::result || message.kind == message_kind::failure;
  if (!is_response || !message.integer_id || message.number != *post.request) return false;
  post.answered = true;
  message.storage = body.size() >= min_moved_body ? &body : nullptr;
  to_->on_message(message);
  return true;
}

}  // namespace hawser::detail

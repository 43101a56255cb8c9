// SPDX-License-Identifier: MIT
#include "recording_channel.hpp"

#include "../../runtime/guarded.hpp"
#include "../json/json_text.hpp"
#include "../json/json_validator.hpp"
#include "../jsonrpc/outgoing_lines.hpp"

namespace hawser {

recording_channel::recording_channel(loop& home, std::unique_ptr<channel> inner,
                                     std::function<void(std::string_view)> write)
    : loop_(home), inner_(std::move(inner)), write_(std::move(write)), begin_(home.now()) {}

task<result<void>> recording_channel::open(receiver& to) {
  to_ = &to;
  return inner_->open(*this);
}

void recording_channel::record(std::string_view from, std::string_view key, std::string_view json) {
  const auto at = std::chrono::duration_cast<std::chrono::microseconds>(loop_.now() - begin_).count();
  std::string line = R"({"at_us":)" + std::to_string(at) + R"(,"from":")";
  line.append(from).append(R"(",")").append(key).append(R"(":)").append(json).append("}\n");
  call_guarded(loop_.log(), "the function that takes a recording", [&] { write_(line); });
}

std::size_t recording_channel::send(const outgoing_message& message) {
  std::string_view text = message.line;
  while (text.ends_with('\n')) text.remove_suffix(1);
  record("host", "message", text);
  return inner_->send(message);
}

void recording_channel::cancel(std::int64_t request, std::string_view reason) noexcept {
  std::string line = cancelled_line(request, reason);
  line.pop_back();
  record("host", "message", line);
  inner_->cancel(request, reason);
}

void recording_channel::on_message(const message_view& message) noexcept {
  // Only valid JSON may be embedded in a line of JSON; some unusable messages are valid JSON with another fault.
  const bool valid = validate_json(message.bytes).has_value();
  record("server", valid ? "message" : "text", valid ? std::string{message.bytes} : json_string(message.bytes));
  to_->on_message(message);
}

void recording_channel::on_request_failed(std::int64_t request, error why) noexcept {
  record("server", "failed", json_string(why.what));
  to_->on_request_failed(request, std::move(why));
}

void recording_channel::on_reset(error why) noexcept {
  record("server", "reset", json_string(why.what));
  to_->on_reset(std::move(why));
}

void recording_channel::on_closed(error why) noexcept {
  record("server", "closed", json_string(why.what));
  to_->on_closed(std::move(why));
}

}  // namespace hawser

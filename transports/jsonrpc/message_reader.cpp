// SPDX-License-Identifier: MIT
#include "message_reader.hpp"

#include <algorithm>

#include "../../runtime/redaction.hpp"
#include "../json/json_text.hpp"

namespace hawser {

namespace {

// Messages of at least this size are moved together with their memory: copying them would cost more than a new buffer,
// unless the bytes after them, which are copied instead, are even more.
constexpr std::size_t min_taken_bytes = std::size_t{64} * 1024;
// So much that whoever quotes it can tell whether it ends inside a secret (redaction::beginning).
constexpr std::size_t noise_kept = std::size_t{1} * 1024 + redaction::max_secret_bytes;

error too_large(const wire_limits& limits) {
  return error{.code = errc::too_large,
               .what = "a message is larger than the limit of " + std::to_string(limits.max_message) + " bytes" +
                       limits.size_advice};
}

}  // namespace

const char* batch_too_large() noexcept { return "a batch has at most 100 messages; send them in several batches"; }

result<void> message_reader::deliver(byte_source& from, receiver& to, find_line find) {
  while (!stopped_) {
    const std::string_view unread = from.unread();
    const line_framer::frame f = (framer_.*find)(unread);
    if (f.what == line_framer::found::too_large) return too_large(limits_);
    if (f.what == line_framer::found::nothing) {
      from.consume(f.used);
      return {};
    }
    if (f.used >= min_taken_bytes && f.used >= unread.size() - f.used) {
      byte_buffer storage = from.take(f.used);
      auto handled = handle(f.text, &storage, to);
      if (!handled) return handled;
    } else {
      auto handled = handle(f.text, nullptr, to);
      from.consume(f.used);
      if (!handled || f.used == unread.size()) return handled;
    }
  }
  return {};
}

result<void> message_reader::handle(std::string_view line, byte_buffer* storage, receiver& to) {
  const char first = line[std::min(line.find_first_not_of(" \t"), line.size() - 1)];
  if (first == '[' && batches_) return handle_batch(line, to);
  if (first != '{' && first != '[') return count_noise(line);
  message_view message = scanner_.scan(line);
  if (message.kind == message_kind::unusable && (message.id.empty() || message.stray)) {
    to.on_message(message);  // the receiver counts it
    return count_noise(line);
  }
  note_message();
  message.storage = storage;
  to.on_message(message);
  return {};
}

// Batches: 2025-03-26 only. Each message is handled on its own.
result<void> message_reader::handle_batch(std::string_view line, receiver& to) {
  if (auto valid = validate_json(line, limits_.json); !valid) return count_noise(line);
  note_message();
  if (!elements_within(line, limits_.max_batch)) {
    to.on_message({.has_method = true, .batch = true, .bytes = line, .fault = batch_too_large()});
    return {};
  }
  for_each_element(line, [&](std::string_view element) {
    to.on_message(scanner_.scan(element));
    return !stopped_;
  });
  return {};
}

void message_reader::note_message() noexcept {
  has_read_message_ = true;
  noise_lines_ = noise_bytes_ = 0;
}

result<void> message_reader::count_noise(std::string_view line) {
  constexpr std::string_view other_framing = "content-length:";
  const bool framed =
      std::equal(other_framing.begin(), other_framing.end(), line.begin(),
                 line.begin() + static_cast<std::ptrdiff_t>(std::min(line.size(), other_framing.size())),
                 [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b + ('a' - 'A') : b); });
  if (framed)
    return error{
        .code = errc::protocol,
        .what = "it frames its messages by Content-Length headers; MCP's stdio transport is one message a line"};
  ++noise_;
  if (noise_lines_ == 0) first_noise_ = line.substr(0, noise_kept);
  noise_bytes_ += line.size();
  if (++noise_lines_ <= limits_.max_noise_lines && noise_bytes_ <= limits_.max_noise_bytes) return {};
  return error{.code = errc::protocol,
               .what = std::to_string(noise_lines_) + " lines (" + std::to_string(noise_bytes_) +
                       " bytes) in a row are no MCP messages"};
}

}  // namespace hawser

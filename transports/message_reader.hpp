// SPDX-License-Identifier: MIT
// From bytes to messages for everything that is one message a line: framing, scanning, batches where a revision has
// them, and what to do with lines that are no messages. Does no I/O.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "channel.hpp"
#include "line_framer.hpp"
#include "scanner.hpp"

namespace hawser {

/// Messages of one batch, from either side.
inline constexpr std::size_t max_batch = 100;

struct wire_limits {
  std::size_t max_message = std::size_t{16} << 20;
  json_limits json{};
  /// What may come between two messages that is none: a banner, log lines. More is not a server that speaks MCP.
  std::size_t max_noise_lines = 1000;
  std::size_t max_noise_bytes = std::size_t{1} << 20;
  /// Messages of one batch; a larger one is not delivered, and refused as a whole where requests are answered.
  std::size_t max_batch = hawser::max_batch;
  /// Stands behind the error of a message that is larger than max_message: "; …", how to allow more.
  const char* size_advice = "";
};

/// Where the bytes lie: a stream's buffer, a string.
class byte_source {
 public:
  [[nodiscard]] virtual std::string_view unread() const noexcept = 0;
  virtual void consume(std::size_t count) noexcept = 0;
  /// Gives the first `count` bytes away with their memory.
  virtual byte_buffer take(std::size_t count) = 0;

 protected:
  ~byte_source() = default;
};

/// Whether this array, which is valid JSON, has no more elements than that; looks at no more of them.
bool elements_within(std::string_view array, std::size_t limit);
/// What to say where it has more than max_batch.
const char* batch_too_large() noexcept;

class message_reader {
 public:
  explicit message_reader(wire_limits limits) noexcept
      : limits_(limits), framer_(limits.max_message), scanner_(limits.json) {}

  /// Hands every whole message in `from` to `to`. An error when the rest cannot be understood any more; the messages
  /// before it have been delivered. Stops early once stop() was called, from inside a delivery.
  result<void> read(byte_source& from, receiver& to) { return deliver(from, to, &line_framer::next); }
  /// The same when no more bytes will come: an unterminated last line counts.
  result<void> finish(byte_source& from, receiver& to) { return deliver(from, to, &line_framer::last); }

  void stop() noexcept { stopped_ = true; }
  void accept_batches(bool yes) noexcept { batches_ = yes; }

  /// Lines so far that were no messages.
  [[nodiscard]] std::uint64_t noise() const noexcept { return noise_; }
  /// The beginning of the first of them since the last message, for whoever has to explain it; untrusted.
  [[nodiscard]] const std::string& first_noise() const noexcept { return first_noise_; }
  /// Whether any line was a message.
  [[nodiscard]] bool understood_any() const noexcept { return understood_any_; }

 private:
  using find_line = line_framer::frame (line_framer::*)(std::string_view) noexcept;
  result<void> deliver(byte_source& from, receiver& to, find_line find);
  result<void> handle(std::string_view line, byte_buffer* storage, receiver& to);
  result<void> handle_batch(std::string_view line, receiver& to);
  result<void> count_noise(std::string_view line);
  void note_message() noexcept;

  wire_limits limits_;
  line_framer framer_;
  scanner scanner_;
  bool stopped_ = false;
  bool batches_ = false;
  std::uint64_t noise_ = 0;
  std::size_t noise_lines_ = 0;  // since the last message
  std::size_t noise_bytes_ = 0;
  std::string first_noise_;
  bool understood_any_ = false;
};

}  // namespace hawser

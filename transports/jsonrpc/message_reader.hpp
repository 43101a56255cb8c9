// SPDX-License-Identifier: MIT
// Turns bytes into messages for transports with one message per line: framing, scanning, batches in the revision that
// has them, and the handling of lines that are not messages. Does no I/O.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "channel.hpp"
#include "line_framer.hpp"
#include "scanner.hpp"

namespace hawser {

/// Maximum number of messages in one batch from a client.
inline constexpr std::size_t max_batch = 100;

struct wire_limits {
  std::size_t max_message = std::size_t{16} << 20;
  json_limits json{};
  /// Limits for output between two messages that is not a message: a banner, log lines. A server that writes more does
  /// not speak MCP.
  std::size_t max_noise_lines = 1000;
  std::size_t max_noise_bytes = std::size_t{1} << 20;
  /// Messages of one batch; a larger one is not delivered, and refused as a whole where requests are answered.
  std::size_t max_batch = hawser::max_batch;
  /// Stands behind the error of a message that is larger than max_message: "; …", how to allow more.
  const char* size_advice = "";
};

/// The source of the bytes: a stream's buffer, a string.
class byte_source {
 public:
  [[nodiscard]] virtual std::string_view unread() const noexcept = 0;
  virtual void consume(std::size_t count) noexcept = 0;
  /// Moves the first `count` bytes out, together with their memory.
  virtual byte_buffer take(std::size_t count) = 0;

 protected:
  ~byte_source() = default;
};

/// The error message for a batch with more than max_batch messages.
const char* batch_too_large() noexcept;

class message_reader {
 public:
  explicit message_reader(wire_limits limits) noexcept
      : limits_(limits), framer_(limits.max_message), scanner_(limits.json) {}

  /// Delivers every complete message in `from` to `to`. An error if the rest cannot be parsed; the messages before it
  /// have been delivered. Returns early if stop() is called from inside a delivery.
  result<void> read(byte_source& from, receiver& to) { return deliver(from, to, &line_framer::next); }
  /// The same at the end of the input: an unterminated last line counts.
  result<void> finish(byte_source& from, receiver& to) { return deliver(from, to, &line_framer::last); }

  void stop() noexcept { stopped_ = true; }
  void accept_batches(bool yes) noexcept { batches_ = yes; }

  /// Number of lines so far that were not messages.
  [[nodiscard]] std::uint64_t noise() const noexcept { return noise_; }
  /// The beginning of the first of them since the last message, for diagnostics; untrusted.
  [[nodiscard]] const std::string& first_noise() const noexcept { return first_noise_; }
  /// Whether any line was a message.
  [[nodiscard]] bool has_read_message() const noexcept { return has_read_message_; }

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
  bool has_read_message_ = false;
};

}  // namespace hawser

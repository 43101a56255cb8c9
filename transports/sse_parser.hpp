// SPDX-License-Identifier: MIT
// Server-sent events out of bytes, by the rules of the WHATWG. Pure. Reconnecting, and what an event says, are the
// business of whoever listens.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "../runtime/error.hpp"

namespace hawser {

struct sse_event {
  std::string_view type;  ///< empty: `message`
  std::string_view data;  ///< the lines joined by line feeds; empty if its one line was
  std::string_view id;    ///< the last that was given, perhaps by an earlier event
  bool has_id = false;    ///< this event gave it
};

/// Called from inside feed(); views are valid during the call. It must not touch the parser.
class sse_listener {
 public:
  virtual void on_event(const sse_event& event) noexcept = 0;
  /// How long the server wants us to wait before reconnecting: any number, to be clamped. Saturates.
  virtual void on_retry(std::chrono::milliseconds pause) noexcept = 0;

 protected:
  ~sse_listener() = default;
};

class sse_parser {
 public:
  /// Bytes of an event id; a longer one is ignored, as one with a NUL is.
  static constexpr std::size_t max_id = 1024;

  /// So many bytes may one event have: its fields, and the line that is being read.
  explicit sse_parser(std::size_t max_event = std::size_t{16} << 20) noexcept : max_event_(max_event) {}

  /// errc::too_large ends it: the same error comes again from then on.
  result<void> feed(std::string_view bytes, sse_listener& to);
  /// What `Last-Event-ID` says after a lost connection: of the last event that was complete, one without data included.
  /// Has at most max_id bytes, no NUL, CR or LF, but perhaps other bytes that no header field may have.
  [[nodiscard]] std::string_view last_id() const noexcept { return last_id_; }

 private:
  void take_line(std::string_view line, sse_listener& to);
  void take_field(std::string_view name, std::string_view value, sse_listener& to);
  void dispatch(sse_listener& to);
  [[nodiscard]] result<void> too_large();

  std::size_t max_event_;
  std::string line_;  // the beginning of a line that was split
  std::string type_;
  std::string data_;     // every line with a line feed behind it
  std::string id_;       // of the event that is being read, where has_id_ says so
  std::string last_id_;  // of the last event that had one
  bool has_id_ = false;
  bool after_return_ = false;  // a line feed that comes next belongs to the carriage return before it
  bool broken_ = false;
  bool first_ = true;  // a byte order mark may stand before the first line
};

}  // namespace hawser

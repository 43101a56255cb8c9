// SPDX-License-Identifier: MIT
// Parses server-sent events by the rules of the WHATWG. Pure. Reconnecting, and the meaning of events, are left to the
// listener.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "../../runtime/error.hpp"

namespace hawser {

struct sse_event {
  std::string_view type;  ///< empty: `message`
  std::string_view data;  ///< the lines joined by line feeds; empty if its only line is
  std::string_view id;    ///< the last id given, possibly by an earlier event
  bool has_id = false;    ///< this event gave the id
};

/// Called from inside feed(); views are valid during the call. Must not use the parser.
class sse_listener {
 public:
  virtual void on_event(const sse_event& event) noexcept = 0;
  /// The reconnection delay that the server asks for: any number, to be clamped. Saturates.
  virtual void on_retry(std::chrono::milliseconds pause) noexcept = 0;

 protected:
  ~sse_listener() = default;
};

class sse_parser {
 public:
  /// Maximum size of an event id in bytes; a longer one is ignored, like one with a NUL.
  static constexpr std::size_t max_id = 1024;

  /// `max_event`: the maximum size of one event in bytes, its fields and the line that is being read.
  explicit sse_parser(std::size_t max_event = std::size_t{16} << 20) noexcept : max_event_(max_event) {}

  /// errc::too_large is final: every later call returns the same error.
  result<void> feed(std::string_view bytes, sse_listener& to);
  /// The value of `Last-Event-ID` after a lost connection: the id of the last complete event, including one without
  /// data. Has at most max_id bytes, no NUL, CR or LF, but possibly other bytes that a header field must not have.
  [[nodiscard]] std::string_view last_id() const noexcept { return last_id_; }

 private:
  void take_line(std::string_view line, sse_listener& to);
  void take_field(std::string_view name, std::string_view value, sse_listener& to);
  void dispatch(sse_listener& to);
  [[nodiscard]] result<void> too_large();

  std::size_t max_event_;
  std::string line_;  // the beginning of a split line
  std::string type_;
  std::string data_;     // every line with a line feed after it
  std::string id_;       // of the event that is being read, if has_id_ is set
  std::string last_id_;  // of the last event that had one
  bool has_id_ = false;
  bool after_return_ = false;  // a following line feed belongs to the carriage return before it
  bool broken_ = false;
  bool first_ = true;  // a byte order mark may precede the first line
};

}  // namespace hawser

// SPDX-License-Identifier: MIT
// One JSON-RPC message as bytes with its envelope opened, one that goes out, and the bytes of one that somebody keeps.
#pragma once

#include <boost/json/fwd.hpp>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "../runtime/byte_buffer.hpp"
#include "../runtime/error.hpp"
#include "json_validator.hpp"

namespace hawser {

/// The id of a request. It keeps its JSON type: 1 is not "1".
class request_id {
 public:
  request_id(std::int64_t number) : value_(number) {}  // NOLINT(google-explicit-constructor)
  explicit request_id(std::string text) : value_(std::move(text)) {}
  /// From the id of a message, as it stands there; nothing for null, objects and the like. A number that is no 64-bit
  /// integer keeps its text, so that it can be echoed.
  static std::optional<request_id> from_json(std::string_view json);

  [[nodiscard]] std::string json() const;
  friend bool operator==(const request_id&, const request_id&) = default;
  /// Any order, for sets and maps of ids that somebody else chose: no choice makes these slow, as it would a hash.
  friend std::strong_ordering operator<=>(const request_id&, const request_id&) = default;

 private:
  struct other_number {
    std::string text;
    friend bool operator==(const other_number&, const other_number&) = default;
    friend std::strong_ordering operator<=>(const other_number&, const other_number&) = default;
  };
  explicit request_id(other_number number) : value_(std::move(number)) {}
  std::variant<std::int64_t, std::string, other_number> value_;
};

enum class message_kind : std::uint8_t {
  request,
  notification,
  result,
  failure,   ///< a response with an error
  unusable,  ///< `fault` says why; the id may be known all the same
};

/// Valid during the call that it is handed to, as is everything it points to.
struct message_view {
  message_kind kind = message_kind::unusable;
  bool integer_id = false;
  /// It has a method, if perhaps a bad one: an unusable request is not the bad answer to a call that has the same id.
  bool asks = false;
  /// Unusable and, but for an id, without any member of JSON-RPC: a logger's object, not the bad answer to a call.
  bool stray = false;
  /// Unusable, and a whole batch: the refusal has no id.
  bool batch = false;
  std::int64_t number = 0;    ///< the id, where it is a 64-bit integer
  std::string_view id{};      ///< as it stands in the message; empty = none
  std::string_view method{};  ///< decoded; of an unusable message, too, where it was read before the fault
  std::string_view params{};  ///< this and the next two: raw JSON, empty = absent
  std::string_view result{};  ///< what is inside of it is not checked yet: raw_json::check()
  std::string_view error{};
  std::string_view bytes{};  ///< the whole message
  const char* fault = nullptr;
  errc fault_code = errc::protocol;
  /// Not null where the message is large and its memory may be moved away instead of copied.
  byte_buffer* storage = nullptr;

  /// Whether it ends the request that it names: as a response, or as something unusable that can only be meant as one.
  [[nodiscard]] bool is_response() const noexcept {
    if (kind == message_kind::result || kind == message_kind::failure) return true;
    return kind == message_kind::unusable && !asks && !stray && !id.empty();
  }
};

/// A part of a message that somebody keeps, parsed only when somebody asks. A result is JSON as far as its envelope
/// needs it: UTF-8, closed strings, balanced brackets; check() or parse() sees to the rest.
class raw_json {
 public:
  raw_json() = default;
  /// Copies `part`, or takes the memory of the whole message where that is offered.
  raw_json(const message_view& whole, std::string_view part);
  explicit raw_json(std::string_view text);

  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }
  /// Whether it is valid JSON within these limits: the precondition of walking it by json_text.hpp.
  [[nodiscard]] result<void> check(json_limits limits = {}) const;
  /// … and whether there can be a tree of it, or of a value in it: check_json_tree().
  [[nodiscard]] result<void> check_tree(json_limits limits = {}) const;
  /// A tree of it: json_tree().
  [[nodiscard]] result<boost::json::value> parse(json_limits limits = {}) const;

 private:
  byte_buffer storage_;
  std::string_view text_;
};

/// A whole message for a channel: one line with its line feed, valid during the call.
struct outgoing {
  std::string_view line;
  std::optional<std::int64_t> request{};  ///< the id, where it is a request of ours
  std::string_view fields{};              ///< header lines that HTTP sends with it; others ignore them
  /// Of a request that names no revision of its own, where the sender knows it; empty: the line says.
  std::string_view method{};
  /// The id, as JSON, of the request of the other side that this belongs to: over HTTP that says on which stream it
  /// goes. Empty = none.
  std::string_view about{};
  bool answers = false;  ///< it is the answer to that request …
  int failure = 0;       ///< … and an error with this code
  /// Not null where the line stands in it and its memory may be moved away instead of copied.
  std::string* storage = nullptr;
};

}  // namespace hawser

// SPDX-License-Identifier: MIT
// JSON-RPC messages: a received one as bytes with its parsed envelope, one to be sent, and the retained bytes of a part
// of one.
#pragma once

#include <boost/json/fwd.hpp>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "../../runtime/error.hpp"
#include "../../runtime/io/byte_buffer.hpp"
#include "../json/json_validator.hpp"
#include "../send_check.hpp"

namespace hawser {

/// The id of a request. It keeps its JSON type: 1 is not "1".
class request_id {
 public:
  request_id(std::int64_t number) : value_(number) {}  // NOLINT(google-explicit-constructor)
  explicit request_id(std::string text) : value_(std::move(text)) {}
  /// From the id of a message, as written; nullopt for null, objects and the like. A number that is not a 64-bit
  /// integer keeps its text, so that it can be echoed.
  static std::optional<request_id> from_json(std::string_view json);

  [[nodiscard]] std::string json() const;
  friend bool operator==(const request_id&, const request_id&) = default;
  /// An arbitrary order, for sets and maps of ids that the remote side chose: unlike a hash table, they cannot be made
  /// slow by the choice of ids.
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
  unusable,  ///< `fault` says why; the id may still be known
};

/// Valid during the call that receives it, as is everything it points to.
struct message_view {
  message_kind kind = message_kind::unusable;
  bool integer_id = false;
  /// It has a method, possibly an invalid one: an unusable request is not a bad response to a call with the same id.
  bool has_method = false;
  /// Unusable and without any JSON-RPC member except an id: a logger's object, not a bad response to a call.
  bool stray = false;
  /// Unusable, and a whole batch: the error response has no id.
  bool batch = false;
  std::int64_t number = 0;    ///< the id, if it is a 64-bit integer
  std::string_view id{};      ///< as written in the message; empty = none
  std::string_view method{};  ///< decoded; also of an unusable message if it was read before the fault
  std::string_view params{};  ///< this and the next two: raw JSON, empty = absent
  std::string_view result{};  ///< its content is not validated yet: raw_json::check()
  std::string_view error{};
  std::string_view bytes{};  ///< the whole message
  const char* fault = nullptr;
  errc fault_code = errc::protocol;
  /// Not null if the message is large and its memory may be moved instead of copied.
  byte_buffer* storage = nullptr;

  /// Whether it completes the request with its id: a response, or an unusable message that can only be meant as one.
  [[nodiscard]] bool is_response() const noexcept {
    if (kind == message_kind::result || kind == message_kind::failure) return true;
    return kind == message_kind::unusable && !has_method && !stray && !id.empty();
  }
};

/// A retained part of a message, parsed on demand. Of a result, only what its envelope needs is validated: UTF-8,
/// closed strings, balanced brackets; check() or parse() validates the rest.
class raw_json {
 public:
  raw_json() = default;
  /// Copies `part`, or takes over the memory of the whole message if that is offered.
  raw_json(const message_view& whole, std::string_view part);
  explicit raw_json(std::string_view text);

  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }
  /// Checks that it is valid JSON within these limits: the precondition of walking it by json_text.hpp.
  [[nodiscard]] result<void> check(json_limits limits = {}) const;
  /// … and that a tree of it, or of a value in it, may be built: check_json_tree(). Returns how many values it has.
  [[nodiscard]] result<std::size_t> check_tree(json_limits limits = {}) const;
  /// Builds a tree: json_tree().
  [[nodiscard]] result<boost::json::value> parse(json_limits limits = tree_limits) const;

 private:
  byte_buffer storage_;
  std::string_view text_;
};

/// A complete message for a channel: one line with its line feed, valid during the call.
struct outgoing_message {
  std::string_view line;
  std::optional<std::int64_t> request{};  ///< the id, if it is a request
  std::string_view fields{};              ///< header lines for HTTP; other transports ignore them
  /// The method of a request that states no revision, if the sender knows it; empty: it is read from the line.
  std::string_view method{};
  /// The id, as JSON, of the remote side's request that this belongs to: over HTTP it selects the stream. Empty = none.
  std::string_view related_request{};
  bool is_response = false;  ///< it is the response to that request …
  int failure = 0;           ///< … and an error with this code
  /// A channel that writes a request later than in send(), or once more, asks this immediately before each such write.
  send_check_ref check{};
  /// Not null if it holds the line and its memory may be moved instead of copied.
  std::string* storage = nullptr;
};

}  // namespace hawser

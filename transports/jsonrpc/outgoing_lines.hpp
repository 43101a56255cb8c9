// SPDX-License-Identifier: MIT
// Serialises outgoing messages: requests whose constant part is written once, notifications, responses. Each is one
// line with its line feed; line breaks in JSON that is passed in become spaces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "message.hpp"

namespace hawser {

/// A request in which only the id and one member of its params change from call to call; the rest is serialised once.
class prepared_request {
 public:
  struct parts {
    std::string_view method;
    std::string_view members{};   ///< of params, as JSON text without the braces
    std::string_view meta{};      ///< of params._meta, in the same form; a progress token is added
    std::string_view argument{};  ///< name of the member that each call provides; empty = none
  };
  explicit prepared_request(const parts& p);
  /// With the given params, or without any if they are empty; no progress token.
  static prepared_request verbatim(std::string_view method, std::string_view params);
  /// tools/call: each call provides the arguments.
  static prepared_request tool_call(std::string_view name, std::string_view meta = {});

  /// Appends the line. `argument` is valid JSON, or empty: then the member is omitted.
  void append_to(std::string& line, std::int64_t id, std::string_view argument) const;
  /// The method. Empty if the text states a revision, or if the method has characters that JSON escapes: then the text
  /// has to be parsed.
  [[nodiscard]] std::string_view plain_method() const noexcept {
    return std::string_view{text_}.substr(method_, size_);
  }

 private:
  prepared_request() = default;
  void note_method(std::string_view method);
  // Four pieces in one string, adjacent in memory because every call reads them after a context switch: up to the
  // progress token, up to the argument, up to the id; and what replaces the last two without an argument.
  std::string text_;
  std::size_t token_ = 0;     // end of the first piece; 0: there is no token
  std::size_t argument_ = 0;  // end of the second one; equal to the first: there is no argument
  std::size_t id_ = 0;        // end of the third one, start of the fourth
  std::size_t method_ = 0;    // start of the method, if it is plain …
  std::size_t size_ = 0;      // … and its length
};

std::string notification_line(std::string_view method, std::string_view params = {});
std::string result_line(const request_id& id, std::string_view result);
std::string error_line(const request_id& id, int code, std::string_view message, std::string_view data = {});
/// The same for a request without a readable id.
std::string error_line_without_id(int code, std::string_view message);
/// notifications/cancelled for a request that we sent.
std::string cancelled_line(std::int64_t request, std::string_view reason);
/// No cancellation is sent while at least this many bytes are queued, so that a server that does not read is not sent
/// one for each request.
inline constexpr std::size_t cancel_while_queued = std::size_t{1} << 20;

}  // namespace hawser

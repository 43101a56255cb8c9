// SPDX-License-Identifier: MIT
// The text of what we send: requests whose constant part is written once, notifications, responses. Each is one line
// with its line feed; line breaks inside JSON that is passed in become spaces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "message.hpp"

namespace hawser {

/// A request of which only the id and one member of its params change from call to call; the rest is made once.
class prepared_request {
 public:
  struct parts {
    std::string_view method;
    std::string_view members{};   ///< of params, as JSON text without the braces
    std::string_view meta{};      ///< of params._meta, the same; a progress token is added to them
    std::string_view argument{};  ///< the name of the member that each call brings; empty = none
  };
  explicit prepared_request(const parts& p);
  /// With params as they are, or without any where they are empty; no progress token.
  static prepared_request verbatim(std::string_view method, std::string_view params);
  /// tools/call: each call brings the arguments.
  static prepared_request tool_call(std::string_view name, std::string_view meta = {});

  /// Appends the line. `argument` is valid JSON, or empty: then the member is left out.
  void append_to(std::string& line, std::int64_t id, std::string_view argument) const;
  /// Empty where its text names a revision, or where the name of the method has characters that JSON escapes: then who
  /// wants to know more than the text has to read it.
  [[nodiscard]] std::string_view plain_method() const noexcept {
    return std::string_view{text_}.substr(method_, size_);
  }

 private:
  prepared_request() = default;
  void note_method(std::string_view method);
  // Four pieces in one text, side by side in memory, since every call reads them after a switch of processes: up to the
  // progress token, up to the argument, up to the id; and what takes the place of the last two without an argument.
  std::string text_;
  std::size_t token_ = 0;     // where the first piece ends; 0: there is no token
  std::size_t argument_ = 0;  // where the second one ends; as the first: there is no argument
  std::size_t id_ = 0;        // where the third one ends, and the fourth begins
  std::size_t method_ = 0;    // where its name stands, if it is plain …
  std::size_t size_ = 0;      // … and how long it is
};

std::string notification_line(std::string_view method, std::string_view params = {});
std::string result_line(const request_id& id, std::string_view result);
std::string error_line(const request_id& id, int code, std::string_view message, std::string_view data = {});
/// The same where the request has no id that could be read.
std::string unnamed_error_line(int code, std::string_view message);
/// notifications/cancelled for a request of ours.
std::string cancelled_line(std::int64_t request, std::string_view reason);
/// Who does not read is not sent one for each request: none while as many bytes are queued.
inline constexpr std::size_t cancel_while_queued = std::size_t{1} << 20;

}  // namespace hawser

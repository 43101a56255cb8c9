// SPDX-License-Identifier: MIT
// The library's error type, and `result<T>`, the return type of every function with expected failures. Not for bugs:
// those throw, or terminate the process through detail/check.hpp.
#pragma once

#include <boost/system/result.hpp>
#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace hawser {

/// The kind of failure. A value exists only if some code branches on it.
enum class errc : std::uint8_t {
  cancelled = 1,  ///< a stop was requested; never logged as an error
  timed_out,
  closed,  ///< the peer is gone, or this side was closed
  io,      ///< an operating system error; `native` holds its number
  spawn,   ///< a process could not be started
  parse,
  too_large,  ///< a named limit was exceeded
  protocol,
  remote,  ///< the server answered with an error; `native` holds the JSON-RPC code, or 403 if it denied access over
           ///< HTTP
  auth,
  config,
  tool_unknown,
  server_gone,
};

std::string_view to_string(errc code) noexcept;

/// Whether the failed operation may have had an effect on the server.
enum class execution : std::uint8_t { no, unknown };

struct error {
  errc code = errc::io;
  std::string what;  ///< one sentence, lower case, no full stop, names the subject
  int native = 0;    ///< uv status, errno or JSON-RPC code
  execution executed = execution::no;
  std::string server{};  ///< the configured server concerned, if any
  std::string phase{};   ///< the phase that failed: "start", "negotiate", "call" …
  std::string data{};    ///< the raw JSON data of a remote error
  /// How long the server asks to wait before the next request, if it says so. `what` contains it, too.
  std::optional<std::chrono::seconds> retry_after{};
};

/// Puts the subject in front of the text: `prefixed("server \"git\"", e)`. Prefixes are added, never replaced.
error prefixed(std::string_view subject, error e);

/// The error of every stopped operation.
error cancelled_error();

/// A value or an `error`. A class, because an alias cannot be [[nodiscard]]: callers must check the result, or discard
/// it with ignore() and a reason.
template <class T>
class [[nodiscard]] result : public boost::system::result<T, error> {
 public:
  using boost::system::result<T, error>::result;
};

/// Discards a result on purpose; the second argument is the reason.
template <class T>
void ignore(const result<T>& /*outcome*/, const char* /*why*/) noexcept {}

/// Thrown by `result::value()` on an unchecked error: always a bug in the caller.
class unchecked_error : public std::exception {
 public:
  explicit unchecked_error(const error& e) : text_("result was not checked: " + e.what) {}
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

[[noreturn]] void throw_exception_from_error(const error& e, const boost::source_location& where);

}  // namespace hawser
